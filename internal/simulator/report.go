package simulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Report describes what the Service has received, without secrets: no stream keys, credentials or
// presigned queries.
type Report struct {
	Sessions []ReportedSession `json:"sessions"`
	Objects  []ReportedObject  `json:"objects"`
	Uploads  []ReportedUpload  `json:"unfinished_uploads"`
	Batches  []ReportedBatch   `json:"batches"`
	// Requests counts requests by call; "unknown" are those to unknown routes.
	Requests map[string]int `json:"requests"`
	// StorageRequestsWithCredential counts PUTs to storage that carried an Authorization header or
	// a cookie.
	StorageRequestsWithCredential int `json:"storage_requests_with_credential"`
}

// ReportedSession is a session in a Report.
type ReportedSession struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Region string `json:"region"`
	Status string `json:"status"`
}

// ReportedObject is an object in a Report. Size is in bytes, SHA256 lower-case hex.
type ReportedObject struct {
	KeyPath string `json:"key_path"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	ETag    string `json:"etag"`
	Parts   int    `json:"parts"`
}

// ReportedUpload is an unfinished upload in a Report.
type ReportedUpload struct {
	UploadID string `json:"upload_id"`
	KeyPath  string `json:"key_path"`
	Parts    int    `json:"parts"`
	Size     int64  `json:"size"`
}

// ReportedBatch is a batch job in a Report.
type ReportedBatch struct {
	Paths        []string `json:"paths"`
	ServiceModes []string `json:"service_modes"`
}

// Report returns the report. It panics as Objects and Uploads do.
func (s *Service) Report() Report {
	report := Report{
		Sessions: []ReportedSession{}, Objects: []ReportedObject{}, Uploads: []ReportedUpload{}, Batches: []ReportedBatch{},
		Requests: s.Counts(),
	}
	if n, ok := report.Requests[""]; ok {
		delete(report.Requests, "")
		report.Requests["unknown"] = n
	}
	for _, rec := range s.Sessions() {
		report.Sessions = append(report.Sessions, ReportedSession{rec.ID, rec.Name, rec.Region, rec.Status})
	}
	for _, o := range s.Objects() {
		report.Objects = append(report.Objects, ReportedObject{o.KeyPath, o.Size, o.SHA256, o.ETag, o.Parts})
	}
	for _, u := range s.Uploads() {
		upload := ReportedUpload{UploadID: u.UploadID, KeyPath: u.KeyPath, Parts: len(u.Parts)}
		for _, p := range u.Parts {
			upload.Size += p.Size
		}
		report.Uploads = append(report.Uploads, upload)
	}
	for _, b := range s.Batches() {
		report.Batches = append(report.Batches, ReportedBatch(b))
	}
	for _, r := range s.Journal() {
		toStorage := r.Call == CallPutObject || r.Call == CallPutPart
		if toStorage && (r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "") {
			report.StorageRequestsWithCredential++
		}
	}
	return report
}

// WriteText writes the report as text.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "live sessions: %d\n", len(r.Sessions))
	for _, s := range r.Sessions {
		fmt.Fprintf(&b, "  %s  %-10s %-14s %s\n", s.ID, s.Status, s.Region, s.Name)
	}
	fmt.Fprintf(&b, "objects: %d\n", len(r.Objects))
	for _, o := range r.Objects {
		sha := o.SHA256
		if sha == "" {
			sha = "not known"
		}
		parts := "one PUT"
		if o.Parts > 0 {
			parts = fmt.Sprintf("%d part(s)", o.Parts)
		}
		fmt.Fprintf(&b, "  %s\n    %d bytes, %s, SHA-256 %s\n", o.KeyPath, o.Size, parts, sha)
	}
	fmt.Fprintf(&b, "unfinished uploads: %d\n", len(r.Uploads))
	for _, u := range r.Uploads {
		fmt.Fprintf(&b, "  %s\n    %d bytes, %d part(s) stored\n", u.KeyPath, u.Size, u.Parts)
	}
	fmt.Fprintf(&b, "batch jobs: %d\n", len(r.Batches))
	for _, job := range r.Batches {
		fmt.Fprintf(&b, "  modes %s\n    %s\n", strings.Join(job.ServiceModes, ", "), strings.Join(job.Paths, "\n    "))
	}
	var calls []string
	for call, n := range r.Requests {
		calls = append(calls, fmt.Sprintf("%s %d", call, n))
	}
	slices.Sort(calls)
	fmt.Fprintf(&b, "requests: %s\n", strings.Join(calls, ", "))
	fmt.Fprintf(&b, "storage requests with a credential: %d\n", r.StorageRequestsWithCredential)
	_, err := io.WriteString(w, b.String())
	return err
}

// ServeReport responds with the report: JSON if the request accepts application/json, else text. It
// requires no credentials, so serve it on loopback only.
func (s *Service) ServeReport(w http.ResponseWriter, r *http.Request) {
	report := s.Report()
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(report) // only fails if the client has disconnected
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = report.WriteText(w)
}
