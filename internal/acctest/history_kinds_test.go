package acctest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// kind is a resource of the configuration.
type kind struct {
	typ   string
	needs []string // the resources whose attributes its configuration uses
	// variants are its configurations. value is an attribute of another resource, Unknown while
	// it is planned.
	variants []func(m *machine, value func(address, attribute string) any) Attrs
}

// kinds are the resources of the configuration by address. A new type of resource needs an entry
// here, and its rules in player.check.
var kinds = map[string]kind{
	"session.a": {typ: sessionType, variants: sessions},
	"session.b": {typ: sessionType, variants: sessions},
	// Not at once with other files: only one file of several parts may be sent in a bubble.
	"upload.big": {typ: uploadType, variants: uploads("big.mp4", "multipart")},
	"upload.small": {
		typ: uploadType, needs: []string{"upload.big"}, variants: uploads("small.mp4", "auto"),
	},
	"upload.twin": {
		typ: uploadType, needs: []string{"upload.big"}, variants: uploads("small.mp4", "multipart"),
	},
	"job.one": {typ: jobType, needs: []string{"upload.small"}, variants: jobs},
}

const (
	sessionType = "vodlive_live_session"
	uploadType  = "vodlive_media_upload"
	jobType     = "vodlive_batch_job"

	streamKey = "stream-key-5f21c0"
)

type variant = func(*machine, func(address, attribute string) any) Attrs

var sessions = []variant{
	session(nil),
	session(Attrs{
		"input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMP_PUSH", "input_preset": Attrs{"resolution": "SD", "bitrate": "MAX_20_MBPS"},
		"input_source_a": "rtmp://origin.example.com/app/" + streamKey, "input_source_b": "rtmp://origin.example.com/app/b-" + streamKey,
		"output_destination_a": "rtmp://sink.example.com/app/" + streamKey, "output_destination_b": "rtmp://sink.example.com/app/b-" + streamKey,
	}),
	session(Attrs{"name": "${a} %{ if b }\"c\" $ d", "is_scheduled": true, "timezone": "Asia/Calcutta", "scheduled_at": "2001-02-03 04:05"}),
	session(Attrs{"wait_for_status": []any{}}),
	session(Attrs{"timeouts": Attrs{"create": "10s"}, "enable_input_record": true}),
}

func session(changes Attrs) variant {
	return func(*machine, func(string, string) any) Attrs {
		return Attrs{
			"name": "match", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
			"input_preset": Attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
		}.With(changes)
	}
}

func uploads(file, method string) []variant {
	upload := func(changes func(path string) Attrs) variant {
		return func(m *machine, _ func(string, string) any) Attrs {
			path := filepath.Join(m.files, file)
			config := Attrs{"source": path, "method": method}
			if file == "big.mp4" {
				config["part_size"] = bigPart
			}
			return config.With(changes(path))
		}
	}
	return []variant{
		upload(func(string) Attrs { return nil }),
		upload(func(string) Attrs { return Attrs{"method": "multipart"} }),
		upload(func(path string) Attrs { return Attrs{"sha256": hashOf(path)} }),
		upload(func(string) Attrs { return Attrs{"file_name": "renamed.mp4", "method": "multipart"} }),
		upload(func(string) Attrs { return Attrs{"change_detection": "content", "content_type": "video/mp4"} }),
	}
}

// hashOf is what filesha256() gives. Of a missing file it is that of another one, where Terraform
// would fail.
func hashOf(path string) string {
	content, _ := os.ReadFile(path)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

var jobs = []variant{job("1"), job("2")}

func job(trigger string) variant {
	return func(_ *machine, value func(string, string) any) Attrs {
		return Attrs{
			"paths": []any{value("upload.small", "key_path")}, "service_modes": []any{"video_optimizer"}, "triggers": Attrs{"run": trigger},
		}
	}
}

const bigPart = 5 << 20 // the smallest allowed

// content is version n of a file.
func content(file string, n int) []byte {
	whole := make([]byte, sizeOf(file, n))
	copy(whole, file)
	whole[100], whole[len(whole)-1] = byte(n), byte(n)
	return whole
}

// sizeOf is the size of version n of a file. Versions 1 and 2 have the same.
func sizeOf(file string, n int) int {
	size := 1000 + n/3
	if file == "big.mp4" {
		size += bigPart
	}
	return size
}

// faults are what may go wrong with the calls of a type, by call. What is likely to matter stands
// there twice.
var faults = map[string]map[string][]string{
	sessionType: {
		simulator.CallCreateSession: append(slices.Clone(usual), "break after", "503 after", "504 after", "silent after", "cut", "503", "break before", "control", "echo"),
		simulator.CallGetSession:    append(slices.Clone(usual), "404", "echo"),
		simulator.CallListSessions:  usual,
		simulator.CallRegions:       usual,
	},
	uploadType: {
		simulator.CallPresignURL:        usual,
		simulator.CallPutObject:         append(slices.Clone(puts), "break after", "503 after", "silent after"),
		simulator.CallMultipartCreate:   append(slices.Clone(usual), "echo"),
		simulator.CallMultipartURL:      append(slices.Clone(usual), "NoSuchUpload", "404"),
		simulator.CallPutPart:           append(slices.Clone(puts), "400"),
		simulator.CallMultipartComplete: append(slices.Clone(usual), "very slow", "very slow", "very slow", "very slow", "InvalidPart", "NoSuchUpload", "break after", "400", "404"),
	},
	jobType: {
		simulator.CallBatch: append(slices.Clone(usual), "503", "503 after", "break after", "silent after", "504 after", "control"),
	},
}

var (
	usual = []string{
		"break before", "break after", "cut", "silent", "silent after", "slow", "400", "401", "403", "429", "429 wait",
		"500", "502", "503", "503 wait", "503 after", "504 after", "page",
	}
	puts = []string{
		"break before", "break after", "cut", "stall", "silent after", "403", "expired", "slow down", "500", "503", "503 after",
		"wrong ETag", "wrong ETag", "KMS ETag", "no ETag", "wrong checksum",
	}
)

// focuses are the resources that a history is about.
var focuses = [][]string{
	{"session.a"},
	{"session.a", "session.b"},
	{"upload.small"},
	{"upload.small", "upload.twin"},
	{"upload.small", "job.one"},
	{"upload.big"},
	{"session.a", "upload.small", "upload.twin", "job.one"},
}
