package main

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// series is one line of the chart: seconds over number of files.
type series struct {
	name   string
	points plotter.XYs
}

func draw(file string, lines []series) error {
	p := plot.New()
	p.Title.Text = "Time over number of files (256 KiB each, 50 ms a call)"
	p.X.Label.Text, p.Y.Label.Text = "files", "seconds"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	var named []any
	for _, s := range lines {
		named = append(named, s.name, s.points)
	}
	if err := plotutil.AddLinePoints(p, named...); err != nil {
		return err
	}
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, file)
}
