package simulator

import (
	"encoding/json"
	"net/http"
)

// Report is what the Service has, without secrets: no stream keys, credentials or presigned URLs.
type Report struct {
	Sessions []ReportedSession `json:"sessions"`
	Objects  []Object          `json:"objects"`
	Uploads  []Upload          `json:"unfinished_uploads"`
	Batches  []Batch           `json:"batches"`
	// Requests counts requests by call; "" are those to unknown routes.
	Requests map[string]int `json:"requests"`
}

// ReportedSession is a session in a Report.
type ReportedSession struct{ ID, Name, Region, Status string }

// ServeReport responds with the report as JSON. It requires no credentials, so serve it on loopback
// only.
func (s *Service) ServeReport(w http.ResponseWriter, _ *http.Request) {
	report := Report{Objects: s.Objects(), Uploads: s.Uploads(), Batches: s.Batches(), Requests: s.Counts()}
	for _, rec := range s.Sessions() {
		report.Sessions = append(report.Sessions, ReportedSession{rec.ID, rec.Name, rec.Region, rec.Status})
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(report) // only fails if the client has disconnected
}
