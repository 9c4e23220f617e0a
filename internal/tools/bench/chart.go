package main

import (
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// series is one line of the upper chart: seconds over number of files.
type series struct {
	Name   string
	Points plotter.XYs
}

// group is the bars of one line in the lower chart, a contender each.
type group struct {
	Name string
	Bars plotter.Values
}

func drawCharts(file string, files []series, goodput []group) error {
	upper, err := filesChart(files)
	if err != nil {
		return err
	}
	lower, err := goodputChart(goodput)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(18*vg.Centimeter, 20*vg.Centimeter)
	charts := [][]*plot.Plot{{upper}, {lower}}
	for i, part := range plot.Align(charts, draw.Tiles{Rows: 2, Cols: 1, PadY: vg.Centimeter}, draw.New(canvas)) {
		charts[i][0].Draw(part[0])
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = canvas.WriteTo(f)
	return err
}

func filesChart(files []series) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Time over number of files (256 KiB each, 50 ms a call)"
	p.X.Label.Text, p.Y.Label.Text = "files", "seconds"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	var named []any
	for _, s := range files {
		named = append(named, s.Name, s.Points)
	}
	return p, plotutil.AddLinePoints(p, named...)
}

func goodputChart(groups []group) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = "Goodput of long lines", "per cent of the line's payload"
	p.Legend.Top = true
	p.Y.Max = 125 // leaves room for the legend
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	p.NominalX(names...)
	const width = 9 // points
	for i, contender := range []string{"engine", "transfer manager", "rclone", "one PUT"} {
		var values plotter.Values
		for _, g := range groups {
			values = append(values, g.Bars[i])
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = plotutil.Color(i), 0
		bars.Offset = vg.Length(float64(i)-1.5) * width
		p.Add(bars)
		p.Legend.Add(contender, bars)
	}
	return p, nil
}
