package acctest

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// kind is a resource of the configuration.
type kind struct {
	typ   string
	needs []string // the resources whose attributes its configuration uses; all need data.via
	must  []string // of which one must be configured
	// variants are its configurations. value is an attribute of another resource, Unknown while
	// it is planned.
	variants []variant
	refused  []variant // that no plan accepts, or that never settle; they are numbered from firstRefused
	// drawn makes one more variant of any number; they are numbered from firstDrawn. There are so
	// many.
	drawn func(n int) variant
	most  int
	// count tells whether the resource has an instance, in HCL and as a function: Unknown fails a
	// plan.
	condition string
	count     func(value func(address, attribute string) any) any
}

// The numbers of the first of the refused variants, and of the drawn ones.
const (
	firstRefused = 101
	firstDrawn   = 1001
)

// variant is that with a number, which is not 0.
func (k kind) variant(n int) variant {
	switch {
	case n >= firstDrawn:
		return k.drawn(n - firstDrawn)
	case n >= firstRefused:
		return k.refused[(n-firstRefused)%len(k.refused)]
	}
	return k.variants[(n-1)%len(k.variants)]
}

// needs are the addresses that an address needs.
func needs(address string) []string {
	if address == viaAddress {
		return nil
	}
	return append([]string{viaAddress}, kinds[address].needs...)
}

// kinds are the resources of the configuration by address. A new type of resource needs an entry
// here, and its rules in player.check.
var kinds = map[string]kind{
	"session.a": {typ: sessionType, variants: sessions, refused: refusedSessions},
	"session.b": {typ: sessionType, variants: sessions, refused: refusedSessions},
	// Not at once with other files: only one file of several parts may be sent in a bubble.
	"upload.big": {typ: uploadType, variants: uploads("big.mp4", "multipart")},
	"upload.small": {
		typ: uploadType, needs: []string{"upload.big"}, variants: uploads("small.mp4", "auto"),
	},
	"upload.twin": {
		typ: uploadType, needs: []string{"upload.big"}, variants: uploads("small.mp4", "multipart"),
	},
	"upload.text": {typ: uploadType, needs: []string{"upload.small"}, must: []string{"upload.small"}, variants: texts, refused: []variant{text(Attrs{"content": "other", "sha256": strings.Repeat("1", 64)})}},
	"job.one":     {typ: jobType, needs: []string{"upload.small"}, must: []string{"upload.small"}, variants: jobs("upload.small")},
	"folder.one":  {typ: folderType, needs: []string{"upload.big"}, variants: folders, refused: refusedFolders, drawn: drawnFolder, most: drawnFolders},
	// Of the same path, with files in common.
	"folder.two": {typ: folderType, needs: []string{"upload.big"}, variants: otherFolders},
	"job.b": {
		typ: jobType, needs: []string{"folder.one"}, must: []string{"folder.one"}, variants: []variant{jobOfFile},
		condition: `contains(keys(vodlive_media_folder.one.files), "b.mp4")`, count: hasFile,
	},
	"status.all": {typ: statusType, needs: []string{"session.a", "session.b"}, must: []string{"session.a", "session.b"}, variants: waits},
	// What another step of the apply makes, and what uses it.
	"file.one":    {typ: fileType, variants: files("made/one.mp4")},
	"file.two":    {typ: fileType, variants: files("made/two.mp4")},
	"upload.made": {typ: uploadType, needs: []string{"file.one"}, must: []string{"file.one"}, variants: madeUploads},
	"job.made":    {typ: jobType, needs: []string{"upload.made"}, must: []string{"upload.made"}, variants: jobs("upload.made")},
	"folder.made": {typ: folderType, needs: []string{"file.one", "file.two"}, must: []string{"file.one"}, variants: madeFolders},
	viaAddress:    {typ: dataType}, // its arguments are those of place.viaInput
	"data.backup": {
		typ: dataType, needs: []string{"session.a"}, must: []string{"session.a"}, variants: []variant{func(*place, lookedUp) Attrs { return Attrs{"input": "backup"} }},
		condition: "vodlive_live_session.a.output_endpoint_b != null", count: hasBackup,
	},
}

const (
	sessionType = "vodlive_live_session"
	uploadType  = "vodlive_media_upload"
	jobType     = "vodlive_batch_job"
	folderType  = "vodlive_media_folder"
	statusType  = "vodlive_live_session_status"
	dataType    = "terraform_data"
	fileType    = "local_file"

	streamKey = "stream-key-5f21c0"
)

type (
	variant  = func(*place, lookedUp) Attrs
	lookedUp = func(address, attribute string) any
)

var sessions = []variant{
	session(nil),
	session(Attrs{
		"input": "RTMP_PULL", "mode": "HA", "output_mode": "RTMP_PUSH", "input_preset": Attrs{"resolution": "SD", "bitrate": "MAX_20_MBPS"},
		"input_source_a": "rtmp://origin.example.com/app/" + streamKey, "input_source_b": "rtmp://origin.example.com/app/b-" + streamKey,
		"output_destination_a": "rtmp://sink.example.com/app/" + streamKey, "output_destination_b": "rtmp://sink.example.com/app/b-" + streamKey,
	}),
	func(pl *place, value lookedUp) Attrs {
		return session(Attrs{
			"name": "${a} %{ if b }\"c\" $ d", "is_scheduled": true, "timezone": "Asia/Calcutta", "scheduled_at": fmt.Sprintf("%d-02-03 04:05", pl.year),
		})(pl, value)
	},
	session(Attrs{"wait_for_status": []any{}}),
	session(Attrs{"timeouts": Attrs{"create": "10s"}, "enable_input_record": true}),
	session(Attrs{"mode": "HA", "endpoints_in_state": false}),
	session(Attrs{"replace_on_status": []any{"ERROR", "TERMINATED"}}),
	session(Attrs{"wait_for_status": []any{"READY", "SCHEDULED", "NEW_STATUS"}}),
}

var refusedSessions = []variant{
	session(Attrs{"input_source_a": "rtmp://origin.example.com/app/" + streamKey}),
	session(Attrs{"input": "RTMP_PULL"}),
	session(Attrs{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2040-03-25 02:30"}),
	session(Attrs{"is_scheduled": true, "timezone": "Europe/Berlin", "scheduled_at": "2040-10-28 02:30"}),
	session(Attrs{"replace_on_status": []any{"READY"}, "wait_for_status": []any{"READY"}}), // every plan replaces it
}

func session(changes Attrs) variant {
	return func(*place, lookedUp) Attrs {
		return Attrs{
			"name": "match", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
			"input_preset": Attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
		}.With(changes)
	}
}

func uploads(file, method string) []variant {
	upload := func(changes func(m *machine) Attrs) variant {
		return func(pl *place, _ lookedUp) Attrs {
			config := Attrs{"source": filepath.Join(pl.machine.files, file), "method": method}
			if file == "big.mp4" {
				config["part_size"] = bigPart
			}
			return config.With(changes(pl.machine))
		}
	}
	return []variant{
		upload(func(*machine) Attrs { return nil }),
		upload(func(*machine) Attrs { return Attrs{"method": "multipart"} }),
		upload(func(m *machine) Attrs { return Attrs{"sha256": m.sum(file)} }),
		upload(func(*machine) Attrs { return Attrs{"file_name": "renamed.mp4", "method": "multipart"} }),
		upload(func(*machine) Attrs { return Attrs{"change_detection": "content", "content_type": "video/mp4"} }),
		upload(func(*machine) Attrs { return Attrs{"method": "multipart", "part_size": otherPart} }),
	}
}

// texts have a content that is not known while upload.small is replaced, and then mostly the same.
var texts = []variant{text(nil), text(Attrs{"content_type": "text/x-mine"})}

func text(changes Attrs) variant {
	return func(_ *place, value lookedUp) Attrs {
		config := Attrs{"content": value("upload.small", "etag"), "file_name": "etag.txt"}
		if config["content"] == nil { // the answer to the request that completes an upload was lost
			config["content"] = "none"
		}
		return config.With(changes)
	}
}

func jobs(upload string) (all []variant) {
	for _, trigger := range []string{"1", "2"} {
		all = append(all, func(_ *place, value lookedUp) Attrs {
			return Attrs{
				"paths": []any{value(upload, "key_path")}, "service_modes": []any{"video_optimizer"}, "triggers": Attrs{"run": trigger},
			}
		})
	}
	return all
}

// jobOfFile is a job for a file of a folder, if the folder has it.
func jobOfFile(_ *place, value lookedUp) Attrs {
	files, known := value("folder.one", "files").(Attrs)
	path := any(reference(`vodlive_media_folder.one.files["b.mp4"].key_path`))
	if known {
		file, _ := files["b.mp4"].(Attrs)
		path = file["key_path"]
	}
	return Attrs{"paths": []any{path}, "service_modes": []any{"video_optimizer"}}
}

func hasFile(value lookedUp) any {
	files, known := value("folder.one", "files").(Attrs)
	if !known {
		return Unknown
	}
	return files["b.mp4"] != nil
}

// hasBackup is known for all variants of sessions: none has an output that is pulled from two
// pipelines.
func hasBackup(value lookedUp) any {
	endpoint := value("session.a", "output_endpoint_b")
	if endpoint == Unknown {
		return Unknown
	}
	return endpoint != nil
}

func files(name string) (all []variant) {
	for n := range 3 {
		all = append(all, func(pl *place, _ lookedUp) Attrs {
			return Attrs{"filename": filepath.Join(pl.machine.files, name), "content": string(content(name, n+1))}
		})
	}
	return all
}

// madeUploads are uploads of a file that need not be there while they are planned.
var madeUploads = []variant{
	func(_ *place, value lookedUp) Attrs {
		return Attrs{"source": value("file.one", "filename"), "sha256": value("file.one", "content_sha256")}
	},
	func(_ *place, value lookedUp) Attrs {
		return Attrs{"source": value("file.one", "filename"), "sha256": value("file.one", "content_sha256"), "method": "multipart", "file_name": "renamed.mp4"}
	},
	func(pl *place, value lookedUp) Attrs { // the content is known before the file is there
		return Attrs{"source": value("file.one", "filename"), "sha256": sums()["made/one.mp4"][pl.variants["file.one"]]}
	},
}

var madeFolders = []variant{madeFolder(nil), madeFolder(Attrs{"method": "multipart"})}

func madeFolder(changes Attrs) variant {
	return func(pl *place, value lookedUp) Attrs {
		return Attrs{
			"source_dir": filepath.Join(pl.machine.files, "made"),
			"triggers":   Attrs{"one": value("file.one", "content_sha256"), "two": value("file.two", "content_sha256")},
		}.With(changes)
	}
}

var folders = foldersOf(severalParts)

func foldersOf(severalParts bool) []variant {
	if severalParts {
		return append(oneLarge, folder(nil), folder(Attrs{"method": "multipart"}))
	}
	return oneLarge
}

var oneLarge = []variant{
	folder(Attrs{"exclude": []any{"long*"}}),
	folder(Attrs{"exclude": []any{"long*"}, "method": "multipart"}),
	// Alone: md5-simd, which shares goroutines in a process, sums 256 KiB and more as soon as three
	// sums run.
	folder(Attrs{"include": []any{"long.mp4"}, "method": "multipart"}),
	folder(Attrs{"exclude": []any{"long*"}, "name_format": "flat"}),
	folder(Attrs{"include": []any{"a.mp4", "sub/"}, "exclude": []any{"/c.mp4"}}),
	folder(Attrs{"include": []any{"?.mp4"}, "exclude": []any{"sub"}, "content_types": Attrs{"mp4": "video/x-mine"}, "change_detection": "content"}),
}

var otherFolders = []variant{
	folder(Attrs{"exclude": []any{"long*"}}),
	folder(Attrs{"include": []any{"?.mp4"}}),
	folder(Attrs{"exclude": []any{"long*", "b*"}, "name_format": "flat"}),
}

var refusedFolders = []variant{
	folder(Attrs{"exclude": []any{"long*"}, "content_types": Attrs{"mp4": "video/x-mine", ".MP4": "video/x-yours"}}),
	folder(Attrs{"include": []any{"*.none"}}),
	folder(Attrs{"exclude": []any{`sub\**`}}),
	folder(Attrs{"exclude": []any{"[long"}}),
}

func folder(changes Attrs) variant {
	return func(pl *place, _ lookedUp) Attrs {
		return Attrs{"source_dir": filepath.Join(pl.machine.files, mediaDir), "part_size": bigPart}.With(changes)
	}
}

var waits = []variant{wait(nil), wait(Attrs{"triggers": Attrs{"again": "1"}}), wait(Attrs{"wait_for_status": []any{"ALLOCATED", "READY", "SCHEDULED"}, "timeouts": Attrs{"create": "40s"}})}

func wait(changes Attrs) variant {
	return func(_ *place, value lookedUp) Attrs {
		var ids []any
		for _, address := range []string{"session.a", "session.b"} {
			if id := value(address, "id"); id != nil { // else the session is not configured
				ids = append(ids, id)
			}
		}
		return Attrs{"session_ids": ids, "wait_for_status": []any{"READY", "SCHEDULED"}}.With(changes)
	}
}

const (
	bigPart   = 5 << 20 // the smallest allowed
	otherPart = bigPart + 500
	mediaDir  = "media"

	versionAt = 100 // where a file has the digit of its version
)

// folderFiles are the files of folder.one at first, below mediaDir. Only one has several parts.
var folderFiles = []string{"media/a.mp4", "media/b.mp4", "media/long.mp4", "media/sub/c.mp4", "media/.hidden.mp4"}

// isLarge reports whether a file has several parts.
func isLarge(file string) bool { return file == "big.mp4" || file == "media/long.mp4" }

// content is version n of a file. Versions 1 and 2 have the same size. It must not be changed.
func content(file string, n int) []byte { return contents()[file][n-1] }

var contents = sync.OnceValue(func() map[string][3][]byte {
	all := map[string][3][]byte{}
	for _, file := range append([]string{"big.mp4", "small.mp4", "made/one.mp4", "made/two.mp4"}, folderFiles...) {
		var versions [3][]byte
		for i := range versions {
			size := 1000 + (i+1)/3
			if isLarge(file) {
				size += bigPart
			}
			whole := bytes.Repeat([]byte("."), size)
			copy(whole, file)
			whole[versionAt], whole[len(whole)-1] = byte('1'+i), byte('1'+i)
			versions[i] = whole
		}
		all[file] = versions
	}
	return all
})

// sums are the SHA-256 of all versions of all files; that of version 0 is the one of no content.
var sums = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for file, versions := range contents() {
		for _, whole := range append([][]byte{nil}, versions[:]...) {
			all[file] = append(all[file], fmt.Sprintf("%x", sha256.Sum256(whole)))
		}
	}
	return all
})

// etags are the ETags of the parts of all files, without KMS.
var etags = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, versions := range contents() {
		for _, whole := range versions {
			for _, size := range []int{bigPart, otherPart} {
				for part := range slices.Chunk(whole, size) {
					all[fmt.Sprintf("%x", md5.Sum(part))] = true
				}
			}
		}
	}
	return all
})

// Wrong ETags that storage returns.
const (
	wrongETag = "0123456789abcdef0123456789abcdef"
	kmsETag   = "fedcba9876543210fedcba9876543210" // says that it is that of KMS
)

// filesOf are the files that an address uses.
func filesOf(address string) []string {
	switch address {
	case "upload.big":
		return []string{"big.mp4"}
	case "folder.one", "folder.two":
		return folderFiles
	case "upload.made":
		return []string{"made/one.mp4"}
	case "folder.made":
		return []string{"made/one.mp4", "made/two.mp4"}
	case "upload.small", "upload.twin":
		return []string{"small.mp4"}
	}
	return nil
}

// faults are what may go wrong with the calls of a type, by call. What is likely to matter stands
// there twice.
var faults = map[string]map[string][]string{
	sessionType: {
		simulator.CallCreateSession: append(slices.Clone(usual), "break after", "503 after", "504 after", "silent after", "cut", "503", "break before", "control", "echo"),
		simulator.CallGetSession:    append(slices.Clone(usual), "404", "stranger", "echo", "other values", "values missing"),
		simulator.CallListSessions:  usual,
		simulator.CallRegions:       usual,
	},
	statusType: {simulator.CallListSessions: usual},
	folderType: diskFaults(uploadFaults, recordFiles, mediaFiles, tokenFiles),
	uploadType: diskFaults(uploadFaults, recordFiles, mediaFiles, tokenFiles),
	jobType: {
		tokenFiles:          diskTroubles[tokenFiles],
		simulator.CallBatch: append(slices.Clone(usual), "503", "503 after", "break after", "silent after", "504 after", "control"),
	},
}

var (
	uploadFaults = map[string][]string{
		simulator.CallPresignURL:        usual,
		simulator.CallPutObject:         append(slices.Clone(puts), "break after", "503 after", "silent after"),
		simulator.CallMultipartCreate:   append(slices.Clone(usual), "echo"),
		simulator.CallMultipartURL:      append(slices.Clone(usual), "NoSuchUpload", "404"),
		simulator.CallPutPart:           append(slices.Clone(puts), "400", "wrong ETag", "wrong ETag", "damaged", "damaged"),
		simulator.CallMultipartComplete: append(slices.Clone(usual), "very slow", "very slow", "very slow", "very slow", "InvalidPart", "NoSuchUpload", "break after", "400", "404", "other key path", "other ETag"),
	}
	usual = []string{
		"break before", "break after", "cut", "silent", "silent after", "slow", "400", "401", "403", "429", "429 wait",
		"500", "502", "503", "503 wait", "503 after", "504 after", "524 after", "200 wait", "200 never", "page", "refused",
	}
	puts = []string{
		"break before", "break after", "cut", "stall", "silent after", "403", "expired", "slow down", "500", "503", "503 after",
		"wrong ETag", "wrong ETag", "KMS ETag", "no ETag", "wrong checksum", "refused",
	}
)

// focuses are the resources that a history is about. An upload of several parts is drawn more
// often: a file that changes between its parts is found by few histories.
var focuses = [][]string{
	{"session.a"},
	{"session.a", "session.b"},
	{"upload.small"},
	{"upload.small", "upload.twin"},
	{"upload.small", "job.one"},
	{"upload.small", "upload.text"},
	{"upload.big"},
	{"upload.big"},
	{"upload.big"},
	{"session.a", "upload.small", "upload.twin", "job.one"},
	{"folder.one"},
	{"session.a", "session.b", "status.all"},
	{"session.a", "status.all"},
	{"session.a", "data.backup"},
	{"folder.one", "job.b"},
	{"folder.one", "folder.two"},
	{"file.one", "upload.made", "job.made"},
	{"file.one", "file.two", "folder.made"},
}
