package main

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// series is one line of a chart.
type series struct {
	name string
	x, y []float64
}

// chart is a panel with logarithmic axes: growth in proportion to N is a line of slope one, whatever the factor.
type chart struct {
	title, x, y string
	series      []series
}

const (
	panelWidth  = 460
	panelHeight = 340
	left        = 64
	right       = 16
	top         = 40
	bottom      = 48
	legendLine  = 18
)

// Colours that also people who see few of them can tell apart; the markers differ, too.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555"}

// plot writes charts beside each other as a SVG, with one legend below each.
func plot(dir, name string, charts ...chart) error {
	lines := 0
	for _, c := range charts {
		lines = max(lines, len(c.series))
	}
	width, height := panelWidth*len(charts), panelHeight+legendLine*lines+8
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for i, c := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`+"\n", i*panelWidth)
		c.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600)
}

// axis maps values to places, logarithmically, over whole decades.
type axis struct {
	low, high  float64 // exponents of ten
	begin, end float64 // places
}

func newAxis(values []float64, begin, end float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 {
			low, high = min(low, math.Log10(v)), max(high, math.Log10(v))
		}
	}
	if low > high {
		low, high = 0, 1
	}
	a := axis{math.Floor(low), math.Ceil(high), begin, end}
	if a.low == a.high {
		a.high++
	}
	return a
}

func (a axis) at(v float64) float64 {
	share := (math.Log10(v) - a.low) / (a.high - a.low)
	return a.begin + share*(a.end-a.begin)
}

func (a axis) decades() (values []float64) {
	for e := a.low; e <= a.high; e++ {
		values = append(values, math.Pow(10, e))
	}
	return values
}

func (c chart) draw(b *strings.Builder) {
	var xs, ys []float64
	for _, s := range c.series {
		xs, ys = append(xs, s.x...), append(ys, s.y...)
	}
	x, y := newAxis(xs, left, panelWidth-right), newAxis(ys, panelHeight-bottom, top)
	fmt.Fprintf(b, `<text x="%d" y="22" font-size="14" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(c.title))
	for _, v := range x.decades() {
		fmt.Fprintf(b, `<path d="M%.1f %d V%d" stroke="#dddddd"/>`, x.at(v), top, panelHeight-bottom)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x.at(v), panelHeight-bottom+16, label(v))
	}
	for _, v := range y.decades() {
		fmt.Fprintf(b, `<path d="M%d %.1f H%d" stroke="#dddddd"/>`, left, y.at(v), panelWidth-right)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-6, y.at(v)+4, label(v))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+panelWidth-right)/2, panelHeight-bottom+34, html.EscapeString(c.x))
	fmt.Fprintf(b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+panelHeight-bottom)/2, html.EscapeString(c.y))
	for i, s := range c.series {
		colour := colours[i%len(colours)]
		var points []string
		for k := range s.x {
			if s.x[k] <= 0 || s.y[k] <= 0 {
				continue // has no place on a logarithmic axis; the table has it
			}
			px, py := x.at(s.x[k]), y.at(s.y[k])
			points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
			b.WriteString(marker(i, px, py, colour))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", strings.Join(points, " "), colour)
		line := float64(panelHeight + i*legendLine)
		fmt.Fprintf(b, `<path d="M%d %.1f h24" stroke="%s" stroke-width="1.6"/>`, left, line, colour)
		b.WriteString(marker(i, left+12, line, colour))
		fmt.Fprintf(b, `<text x="%d" y="%.1f">%s</text>`+"\n", left+32, line+4, html.EscapeString(s.name))
	}
}

func marker(i int, x, y float64, colour string) string {
	switch i % 3 {
	case 0:
		return fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`, x, y, colour)
	case 1:
		return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="7" height="7" fill="%s"/>`, x-3.5, y-3.5, colour)
	}
	return fmt.Sprintf(`<path d="M%.1f %.1f l4.5 8 h-9 z" fill="%s"/>`, x, y-5, colour)
}

// label is a power of ten as people write it.
func label(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%g k", v/1000)
	}
	return fmt.Sprintf("%g", v)
}
