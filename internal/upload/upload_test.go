package upload_test

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/must"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// TestPartsWithoutMD5: where ETags are no MD5s, a record and storage's own checksum together prove
// a part.
func TestPartsWithoutMD5(t *testing.T) {
	t.Parallel()
	for _, checksum := range []string{"crc64nvme", "crc32c", "crc32", "sha1", "sha256"} {
		runInWorld(t, "record with "+checksum, simulator.Options{Encryption: "aws:kms", PartChecksum: checksum}, func(_ *testing.T, w *world) {
			left := w.interrupted()
			w.mustStore(state(left), "3")
		})
	}
	runInWorld(t, "record with another checksum", simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(_ *testing.T, w *world) {
		left := w.interrupted()
		w.editRecord(left.Parts[0].Checksum, left.Parts[1].Checksum)
		w.mustStore(nil, "1", "3")
	})
	runInWorld(t, "record without checksums", simulator.Options{Encryption: "aws:kms"}, func(_ *testing.T, w *world) {
		w.interrupted()
		w.mustStore(nil, "1", "1", "2", "3") // the first one once more, with the proof of the others
	})
	runInWorld(t, "state alone", simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(t *testing.T, w *world) {
		left := w.interrupted()
		w.dir = t.TempDir()
		w.mustStore(state(left), "1", "2", "3")
	})
}

// TestNothingProvesTheParts: with KMS, without checksums, and with addresses whose signature
// refuses Content-MD5, an upload is stored with a warning.
func TestNothingProvesTheParts(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{Encryption: "aws:kms"}, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{
			Call: simulator.CallPutPart, Match: func(r *http.Request) bool { return r.Header.Get("Content-MD5") != "" },
			Status: http.StatusForbidden, Body: "<Error><Code>SignatureDoesNotMatch</Code></Error>",
		})
		if _, err := w.run(nil); err != nil {
			t.Fatal(err)
		}
		w.mustWarn(upload.Unproved)
	})
}

// TestLatePartIsSentOnceMore: where ETags are no MD5s, a PUT whose answer was lost arrives after
// the one that repeats it, so storage has the part under an ETag that nobody knows.
func TestLatePartIsSentOnceMore(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"stalled":     {Stall: true, StallAfter: 1000},
		"broken":      {BreakBefore: true},
		"bad gateway": {Status: http.StatusBadGateway},
	} {
		for _, checksum := range []string{"", "crc64nvme"} {
			runInWorld(t, name+" "+checksum, simulator.Options{Encryption: "aws:kms", PartChecksum: checksum}, func(_ *testing.T, w *world) {
				once := fault
				once.Call, once.Times, once.Match = simulator.CallPutPart, 1, partNumber(2)
				w.Fail(once)
				w.arriveLate(2)
				sends := []string{"1", "2", "2", "2", "3"} // one of them is the late one
				if checksum == "" {
					sends = append([]string{"1"}, sends...) // once more, with the proof of the others
				}
				w.mustStore(nil, sends...)
				if n := w.Count(simulator.CallMultipartCreate); n != 1 || len(w.warnings) != 0 {
					w.t.Errorf("%d uploads were begun, warnings %+v", n, w.warnings)
				}
			})
		}
	}
	runInWorld(t, "twice", simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, Match: partNumber(2), BreakAfter: true})
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusBadRequest, Body: `{"code":"InvalidPart"}`})
		left, err := w.mustFail(nil)
		if n := w.Count(simulator.CallMultipartComplete); n != 3 || left != nil {
			t.Errorf("%d calls of complete, left %+v, error %v", n, left, err)
		}
	})
	runInWorld(t, "in the next run", simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(_ *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, Match: partNumber(1), BreakAfter: true})
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: partNumber(3), Status: http.StatusInternalServerError})
		left, _ := w.mustFail(nil)
		w.ClearFaults()
		w.mustStore(state(left), "1", "3")
	})
	runInWorld(t, "MD5", simulator.Options{}, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Times: 1, Match: partNumber(2), BreakAfter: true})
		w.arriveLate(2)
		w.mustStore(nil, "1", "2", "2", "3")
		if n := w.Count(simulator.CallMultipartComplete); n != 1 {
			t.Errorf("%d calls of complete, want 1", n)
		}
	})
}

// TestCompleteHasTheTimeOfTheUpload: assembling many parts takes longer than any other call may.
func TestCompleteHasTheTimeOfTheUpload(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(_ *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Delay: 10 * requestLimit})
		w.mustStore(nil, "1", "2", "3")
		if n := w.Count(simulator.CallMultipartComplete); n != 1 {
			w.t.Errorf("%d calls of complete, want 1", n)
		}
	})
}

// TestUploadWithoutADeadlineEnds: an action has no time limit of its own, and must not wait for
// ever.
func TestUploadWithoutADeadlineEnds(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		w.limit = 0
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Delay: 2 * upload.DefaultLimit})
		began := time.Now()
		left, err := w.mustFail(nil)
		const inFlight = 4 * time.Second // for the response to a request that must not be lost
		if took := time.Since(began); took != upload.DefaultLimit+inFlight || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the upload ended after %s with %v", took, err)
		}
		if left == nil || !left.Completing || left.ReusableParts() != testParts {
			t.Errorf("left: %+v", left)
		}
	})
}

const (
	s3Gone    = `{"message":"An error occurred: The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."}`
	s3Invalid = `{"message":"An error occurred (InvalidPart) when calling the CompleteMultipartUpload operation: One or more of the specified parts could not be found."}`
)

// TestLostAnswerToComplete: the answer to the repeated request tells whether the first one was
// processed.
func TestLostAnswerToComplete(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]simulator.Fault{
		"404 in S3's words": {Status: 404, Body: s3Gone},
		"400 in S3's words": {Status: 400, Body: s3Gone},
		"500 in S3's words": {Status: 500, Body: s3Gone},
		"bare 404":          {Status: 404},
	} {
		for lost, first := range map[string]simulator.Fault{
			"broken connection": {BreakAfter: true}, "504": {Status: 504, Processed: true},
		} {
			runInWorld(t, lost+", then "+name, simulator.Options{}, func(_ *testing.T, w *world) {
				first, again := first, again
				first.Call, first.Times = simulator.CallMultipartComplete, 1
				again.Call = simulator.CallMultipartComplete
				w.Fail(first)
				w.Fail(again)
				out := w.mustStore(nil, "1", "2", "3")
				w.mustWarn(upload.TakenAsComplete)
				if n := w.Count(simulator.CallMultipartCreate); n != 1 {
					w.t.Errorf("%d uploads were begun, want 1", n)
				}
				if out.ETag != "" || out.Location != "" || out.Parts != testParts {
					w.t.Errorf("the service did not describe the object, the result does: %+v", out)
				}
			})
		}
	}
}

// TestRefusedCompleteIsNotTakenAsComplete: nothing was lost, so a refusal is one.
func TestRefusedCompleteIsNotTakenAsComplete(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"404": {Status: 404, Body: s3Gone}, "500": {Status: 500, Body: s3Gone}, "InvalidPart": {Status: 500, Body: s3Invalid},
	} {
		runInWorld(t, name, simulator.Options{}, func(_ *testing.T, w *world) {
			fault.Call = simulator.CallMultipartComplete
			w.Fail(fault)
			left, err := w.mustFail(nil)
			if left != nil || len(w.Objects()) != 0 {
				w.t.Fatalf("error %v, left %+v, objects %v", err, left, w.Objects())
			}
			if n := w.Count(simulator.CallMultipartComplete); n != 2 {
				w.t.Errorf("%d calls of complete, want one of each upload: storage has decided", n)
			}
			// The next apply must not meet the same refusal once more.
			w.ClearFaults()
			w.mustStore(nil, "1", "2", "3")
			if n := w.Count(simulator.CallMultipartCreate); n != 3 {
				w.t.Errorf("%d uploads were begun, want 3", n)
			}
		})
	}
}

// TestRefusedCompleteLeavesNoDoubt: after a refusal the object surely does not exist, whatever the
// record said while the request was under way.
func TestRefusedCompleteLeavesNoDoubt(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(_ *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusForbidden})
		left, err := w.mustFail(nil)
		if left == nil || len(left.Parts) != testParts || left.Completing {
			w.t.Fatalf("error %v, left %+v", err, left)
		}
		w.ClearFaults()
		w.DropUpload(left.UploadID)
		w.mustStore(nil, "1", "2", "3")
		w.mustWarn(upload.NotContinued)
	})
}

// TestCompleteLostInAnEarlierRun: if the upload does not exist any more, the object may exist. Only
// the user can find out.
func TestCompleteLostInAnEarlierRun(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"S3's words": {Status: 400, Body: s3Gone}, "bare 404": {Status: 404},
	} {
		runInWorld(t, name, simulator.Options{}, func(_ *testing.T, w *world) {
			w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, BreakAfter: true})
			left, err := w.mustFail(nil)
			if left == nil || !left.Completing {
				w.t.Fatalf("error %v, left %+v", err, left)
			}
			w.ClearFaults()
			fault.Call = simulator.CallMultipartComplete
			w.Fail(fault)
			var unsure *upload.MaybeCompleteError
			left, err = w.mustFail(state(left))
			if n := w.Count(simulator.CallMultipartCreate); n != 1 {
				w.t.Errorf("%d uploads were begun, want 1", n)
			}
			if !errors.As(err, &unsure) || unsure.KeyPath != w.onlyObject().KeyPath || left != nil {
				w.t.Errorf("error %v, left %+v", err, left)
			}
			w.mustHaveNoRecord()
		})
	}
}

// TestRefusedContinuationBeginsAnew: however the refusal reads, a refused upload is given up once a
// new upload succeeds.
func TestRefusedContinuationBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]simulator.Fault{
		"generate-url, 404":                {Call: simulator.CallMultipartURL, Times: 2, Status: 404},
		"generate-url, 403":                {Call: simulator.CallMultipartURL, Times: 2, Status: 403, Body: `{"message":"key_path is not one of this customer"}`},
		"generate-url, S3's words, 400":    {Call: simulator.CallMultipartURL, Times: 1, Status: 400, Body: s3Gone},
		"generate-url, S3's words, 500":    {Call: simulator.CallMultipartURL, Times: 1, Status: 500, Body: s3Gone},
		"complete, S3's words, 400":        {Call: simulator.CallMultipartComplete, Times: 1, Status: 400, Body: s3Gone},
		"complete, S3's words, 500":        {Call: simulator.CallMultipartComplete, Times: 1, Status: 500, Body: s3Gone},
		"complete, InvalidPart, 400":       {Call: simulator.CallMultipartComplete, Times: 1, Status: 400, Body: s3Invalid},
		"complete, InvalidPart, 500":       {Call: simulator.CallMultipartComplete, Times: 1, Status: 500, Body: s3Invalid},
		"complete, other words":            {Call: simulator.CallMultipartComplete, Times: 2, Status: 400, Body: `{"message":"this will not do"}`},
		"PUT of a part, NoSuchUpload":      {Call: simulator.CallPutPart, Times: 2, Status: 404, Body: "<Error><Code>NoSuchUpload</Code></Error>"},
		"PUT of a part, 404 without words": {Call: simulator.CallPutPart, Times: 2, Status: 404},
		"PUT of a part, lasting 403":       {Call: simulator.CallPutPart, Times: 4, Status: 403, Body: "<Error><Code>AccessDenied</Code></Error>"},
	} {
		runInWorld(t, name, simulator.Options{}, func(_ *testing.T, w *world) {
			left := w.interrupted()
			before := left.KeyPath
			w.Fail(fault)
			sends := []string{"1", "2", "3"}
			if fault.Call == simulator.CallMultipartComplete {
				sends = append(sends, "3") // of the unfinished upload, before it is refused
			}
			slices.Sort(sends)
			out := w.mustStore(state(left), sends...)
			if out.KeyPath == before {
				w.t.Error("the upload was not begun anew")
			}
			w.mustWarn(upload.NotContinued)
		})
	}
}

// TestOneRefusalThrowsNothingAway: one answer of a proxy does not give up the stored parts.
func TestOneRefusalThrowsNothingAway(t *testing.T) {
	t.Parallel()
	for _, call := range []string{simulator.CallMultipartURL, simulator.CallMultipartComplete, simulator.CallPutPart} {
		runInWorld(t, call, simulator.Options{}, func(_ *testing.T, w *world) {
			left := w.interrupted()
			w.Fail(simulator.Fault{Call: call, Times: 1, Status: http.StatusNotFound, Body: "<html><title>Not found</title></html>"})
			if out := w.mustStore(state(left), "3"); out.KeyPath != left.KeyPath {
				w.t.Error("the upload was begun anew")
			}
			if len(w.warnings) > 0 {
				w.t.Errorf("warnings: %+v", w.warnings)
			}
		})
	}
}

// TestRefusalOfEverythingKeepsTheParts: the stored parts are given up only for a new upload that
// gets further.
func TestRefusalOfEverythingKeepsTheParts(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]string{
		"every call of the API": {simulator.CallMultipartURL, simulator.CallMultipartCreate},
		"every PUT":             {simulator.CallPutPart},
	} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			runInWorld(t, fmt.Sprint(name, ", ", status), simulator.Options{}, func(_ *testing.T, w *world) {
				left := w.interrupted()
				for _, call := range calls {
					w.Fail(simulator.Fault{Call: call, Status: status})
				}
				again, err := w.mustFail(state(left))
				if again == nil || again.UploadID != left.UploadID || len(again.Parts) != testParts-1 {
					w.t.Fatalf("error %v, left %+v", err, again)
				}
				w.ClearFaults()
				w.mustStore(state(again), "3")
			})
		}
	}
}

// TestInterruptedNewUploadTakesThePlaceOfTheOld: afterwards the state and the record have the new
// upload.
func TestInterruptedNewUploadTakesThePlaceOfTheOld(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := w.interrupted()
		foreign := *state(left)
		foreign.KeyPath = "vod/input/customer-other/0000/media.mp4"
		foreign.Parts[0].ETag = `"0"`
		w.dir = t.TempDir()
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: partNumber(testParts), Status: http.StatusInternalServerError})
		again, err := w.mustFail(&foreign)
		if again == nil || again.UploadID == left.UploadID || strings.Contains(again.KeyPath, "customer-other") {
			t.Fatalf("error %v, left %+v", err, again)
		}
		w.mustWarn(upload.NotContinued)
		w.ClearFaults()
		w.mustStore(state(again), "3")
	})
}

// TestObjectChecksum holds the checksums in the answer to complete against the file.
func TestObjectChecksum(t *testing.T) {
	t.Parallel()
	encoded := func(sum []byte) string { return base64.StdEncoding.EncodeToString(sum) }
	crc := func(table *crc32.Table, content []byte) []byte {
		return binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, table))
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	composite := func(content []byte) string {
		var sums []byte
		for part := range slices.Chunk(content, testPartSize) {
			sums = append(sums, crc(castagnoli, part)...)
		}
		return fmt.Sprintf("%s-%d", encoded(crc(castagnoli, sums)), testParts)
	}
	for name, tc := range map[string]struct {
		options simulator.Options
		says    func(content []byte) (key, value string)
		wrong   bool
	}{
		"CRC-32C of the object": {options: simulator.Options{PartChecksum: "crc32c"}, says: func(c []byte) (string, string) { return "ChecksumCRC32C", encoded(crc(castagnoli, c)) }},
		"CRC-32 of the object":  {options: simulator.Options{PartChecksum: "crc32"}, says: func(c []byte) (string, string) { return "ChecksumCRC32", encoded(crc(crc32.IEEETable, c)) }},
		"wrong CRC-32C":         {options: simulator.Options{PartChecksum: "crc32c"}, says: func([]byte) (string, string) { return "ChecksumCRC32C", "AAAAAA==" }, wrong: true},
		"wrong CRC-32":          {options: simulator.Options{PartChecksum: "crc32"}, says: func([]byte) (string, string) { return "ChecksumCRC32", "AAAAAA==" }, wrong: true},
		"SHA-1 of the object": {options: simulator.Options{PartChecksum: "sha1"}, says: func(c []byte) (string, string) {
			sums := sha1.New()
			for part := range slices.Chunk(c, testPartSize) {
				sum := sha1.Sum(part)
				sums.Write(sum[:])
			}
			return "ChecksumSHA1", fmt.Sprintf("%s-%d", encoded(sums.Sum(nil)), testParts)
		}},
		"wrong SHA-1":       {options: simulator.Options{PartChecksum: "sha1"}, says: func([]byte) (string, string) { return "ChecksumSHA1", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=-3" }, wrong: true},
		"wrong SHA-256":     {says: func([]byte) (string, string) { return "ChecksumSHA256", "AAAA" }, wrong: true},
		"wrong CRC-64/NVME": {says: func([]byte) (string, string) { return "ChecksumCRC64NVME", "AAAAAAAAAAA=" }, wrong: true},
		"composite CRC-32C": {
			options: simulator.Options{PartChecksum: "crc32c"},
			says:    func(c []byte) (string, string) { return "ChecksumCRC32C", composite(c) },
		},
		"wrong composite CRC-32C": {
			options: simulator.Options{PartChecksum: "crc32c"},
			says:    func([]byte) (string, string) { return "ChecksumCRC32C", "AAAAAA==-3" }, wrong: true,
		},
		"composite of unknown parts": {says: func([]byte) (string, string) { return "ChecksumCRC32C", "AAAAAA==-3" }},
		"not asked for":              {says: func([]byte) (string, string) { return "ChecksumSHA1", "AAAAAA==" }},
	} {
		runInWorld(t, name, tc.options, func(_ *testing.T, w *world) {
			key, value := tc.says(w.content)
			w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Rewrite: func(body []byte) []byte {
				var answer struct {
					Data    map[string]any `json:"data"`
					Message string         `json:"message"`
				}
				_ = json.Unmarshal(body, &answer)
				answer.Data[key] = value
				body, _ = json.Marshal(answer)
				return body
			}})
			if !tc.wrong {
				w.mustStore(nil, "1", "2", "3")
				return
			}
			left, err := w.mustFail(nil)
			if left != nil || !strings.Contains(err.Error(), w.onlyObject().KeyPath) || !strings.Contains(err.Error(), value) {
				w.t.Errorf("error %v, left %+v", err, left)
			}
			w.mustHaveNoRecord()
		})
	}
}

// TestPartsKnownTwiceAreCountedOnce: the state and the record may describe one part differently.
func TestPartsKnownTwiceAreCountedOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := w.interrupted()
		w.editRecord(strings.Trim(left.Parts[0].ETag, `"`)+`\"`, strings.Repeat("0", 32)+`\"`)
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Match: partNumber(testParts), Status: http.StatusInternalServerError})
		again, err := w.mustFail(state(left))
		if again == nil || again.StoredParts() != 2 || again.ReusableParts() != 2 {
			t.Errorf("the upload failed with %v and left %+v", err, again)
		}
	})
}

// TestPartsThatCannotBeProvedAreNotPromised: where ETags are no MD5s, nothing but a record proves a
// part.
func TestPartsThatCannotBeProvedAreNotPromised(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(t *testing.T, w *world) {
		if left := w.interrupted(); left.ReusableParts() != 2 {
			t.Errorf("parts in a record are not promised: %+v", left)
		}
		w.dir = ""
		if left := w.interrupted(); left.ReusableParts() != 0 {
			t.Errorf("parts that are sent again are promised: %+v", left)
		}
	})
}

// TestUploadOfWhichNothingWasSentIsNotTakenAsComplete: an upload of an earlier run, all of whose
// parts were stored, may have been dropped by storage long before this run's request to complete
// it.
func TestUploadOfWhichNothingWasSentIsNotTakenAsComplete(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusUnauthorized})
		left, err := w.mustFail(nil)
		if left == nil || len(left.Parts) != testParts {
			t.Fatalf("error %v, left %+v", err, left)
		}
		for range 2 { // the second time as if Terraform had died before it saved the state
			w.ClearFaults()
			w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Times: 1, Status: http.StatusBadGateway})
			w.Fail(simulator.Fault{Call: simulator.CallMultipartComplete, Status: http.StatusNotFound, Body: s3Gone})
			_, err = w.mustFail(state(left))
			if _, unsure := errors.AsType[*upload.MaybeCompleteError](err); !unsure {
				t.Errorf("error %v", err)
			}
		}
	})
}

// TestNewUploadThatStoresNothingCostsNoParts: the refusal of the old upload was not storage's own,
// so its parts are kept until the new upload has some.
func TestNewUploadThatStoresNothingCostsNoParts(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := w.interrupted()
		w.Fail(simulator.Fault{Call: simulator.CallMultipartURL, Times: 2, Status: http.StatusNotFound})
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, BreakBefore: true})
		again, err := w.mustFail(state(left))
		if again == nil || again.UploadID != left.UploadID || len(again.Parts) != testParts-1 {
			t.Fatalf("error %v, left %+v", err, again)
		}
		w.ClearFaults()
		w.mustStore(state(again), "3")
	})
}

// TestUnfinishedUploadKeepsItsPartSize: the part size that would be chosen now is another one.
func TestUnfinishedUploadKeepsItsPartSize(t *testing.T) {
	t.Parallel()
	runInWorld(t, "state", simulator.Options{}, func(t *testing.T, w *world) {
		left := state(w.interruptedByFormer())
		w.dir = t.TempDir()
		w.mustStore(left, "2")
	})
	runInWorld(t, "state and record", simulator.Options{Encryption: "aws:kms", PartChecksum: "crc64nvme"}, func(_ *testing.T, w *world) {
		w.mustStore(state(w.interruptedByFormer()), "2")
	})
}

// TestPartSizeThatStorageDoesNotTake: an edited state has a part size below the least one. Such
// parts make no object.
func TestPartSizeThatStorageDoesNotTake(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := state(w.interrupted())
		w.file.PartSize, w.dir = 0, t.TempDir()
		w.mustStore(left, "1")
	})
}

// TestUploadLeftByAStateOutlivesTheProcess: the run ends after the state has given up the upload,
// and before anything continues it.
func TestUploadLeftByAStateOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := state(w.interrupted())
		w.dir = t.TempDir() // of another machine
		must.Succeed(t, w.uploader().LeaveUnfinished(t.Context(), w.file, left))
		if stored := w.mustStore(nil, "3"); stored.KeyPath != left.KeyPath {
			t.Errorf("stored as %q, the unfinished upload is %q", stored.KeyPath, left.KeyPath)
		}
	})
}

// TestTwoUnfinishedUploadsOfOneFile: two states have an unfinished upload of the same content, with
// part sizes of their own. Each is continued once, also where nothing can be recorded.
func TestTwoUnfinishedUploadsOfOneFile(t *testing.T) {
	t.Parallel()
	for _, recorded := range []bool{true, false} {
		runInWorld(t, fmt.Sprintf("recorded %v", recorded), simulator.Options{}, func(t *testing.T, w *world) {
			first := state(w.interruptedByFormer())
			w.dir = t.TempDir() // of another machine
			w.file.PartSize = 10 << 20
			second := state(w.interrupted())
			if w.dir = ""; recorded {
				w.dir = t.TempDir()
			}
			u, keyPaths := w.uploader(), []string{}
			w.file.PartSize = 0
			for _, left := range []*resume.Unfinished{first, second} {
				must.Succeed(t, u.LeaveUnfinished(t.Context(), w.file, left))
			}
			since := len(w.Journal())
			for _, partSize := range []int64{10 << 20, 0, 0} {
				w.file.PartSize = partSize
				result, err := u.Upload(t.Context(), w.file, nil)
				must.Succeed(t, err)
				keyPaths = append(keyPaths, result.KeyPath)
			}
			if want := []string{second.KeyPath, first.KeyPath}; !slices.Equal(keyPaths[:2], want) || keyPaths[2] == first.KeyPath || keyPaths[2] == second.KeyPath {
				t.Errorf("stored as %q, the unfinished uploads are %q", keyPaths, want)
			}
			if sent := w.sent(since); !slices.Equal(sent, []string{"1", "2", "2", "2", "3", "4"}) {
				t.Errorf("parts %v were sent", sent)
			}
			w.mustHaveNoRecord()
		})
	}
}

// TestExpiredAddressesAreReplaced: the first address expires on its way, and the second one, which
// was asked for ahead, meanwhile.
func TestExpiredAddressesAreReplaced(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{PresignLifetime: 10 * time.Second}, func(t *testing.T, w *world) {
		w.Fail(simulator.Fault{Call: simulator.CallPutPart, Delay: 30 * time.Second, Times: 1})
		w.mustStore(nil, "1", "2", "3")
		refused := 0
		for _, r := range w.Journal() {
			if r.Call == simulator.CallPutPart && r.Status == http.StatusForbidden {
				refused++
			}
		}
		if asked := w.Count(simulator.CallMultipartURL); refused != 2 || asked != testParts+refused {
			t.Errorf("%d addresses were asked for, %d PUTs refused", asked, refused)
		}
	})
}

func TestTokenThatCannotBeReadLosesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		interrupted func(*world) *resume.Unfinished
		sends       string
	}{
		"part size of today":              {(*world).interrupted, "3"},
		"part size of an earlier version": {(*world).interruptedByFormer, "2"},
	} {
		runInWorld(t, name, simulator.Options{}, func(t *testing.T, w *world) {
			left := tc.interrupted(w)
			w.dir, w.account = t.TempDir(), errors.New("no token")
			kept, _ := w.mustFail(state(left))
			if kept == nil || kept.UploadID != left.UploadID {
				t.Fatalf("left is %+v, want %+v", kept, left)
			}
			w.account = nil
			w.mustStore(state(kept), tc.sends)
		})
	}
}

// TestFileOfAFolderThatIsNotTriedLosesNothing cancels the upload of a folder before it begins.
func TestFileOfAFolderThatIsNotTriedLosesNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, simulator.Options{}, func(t *testing.T, w *world) {
		left := state(w.interruptedByFormer())
		u := w.uploader()
		must.Succeed(t, u.LeaveUnfinished(t.Context(), w.file, left))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		outcomes, _ := u.UploadFolder(ctx, upload.Folder{Name: "folder", Files: []upload.File{w.file}}, nil)
		o := outcomes[0]
		if !errors.Is(o.Err, context.Canceled) || o.Left == nil || o.Left.UploadID != left.UploadID {
			t.Errorf("error %v, left is %+v, want %+v", o.Err, o.Left, left)
		}
	})
}

// TestTwoFilesGetOneAddress: a cache answers the request for the second file as that for the first.
func TestTwoFilesGetOneAddress(t *testing.T) {
	t.Parallel()
	for call, method := range map[string]string{simulator.CallPresignURL: upload.MethodSingle, simulator.CallMultipartCreate: upload.MethodMultipart} {
		runInWorld(t, call, simulator.Options{}, func(t *testing.T, w *world) {
			first := ""
			w.Fail(simulator.Fault{Call: call, Rewrite: func(body []byte) []byte {
				first = cmp.Or(first, string(body))
				return []byte(first)
			}})
			w.file.Method = method
			u := w.uploader()
			stored, err := u.Upload(t.Context(), w.file, nil)
			must.Succeed(t, err)
			other := w.file
			other.Path, other.SHA256, other.Size = filepath.Join(t.TempDir(), "other.mp4"), hexSHA256([]byte("other")), 5
			must.Succeed(t, os.WriteFile(other.Path, []byte("other"), 0o600))
			if _, err := u.Upload(t.Context(), other, nil); err == nil || !strings.Contains(err.Error(), "returned for another file") {
				t.Errorf("got %v", err)
			}
			if object := w.onlyObject(); object.SHA256 != w.file.SHA256 || object.KeyPath != stored.KeyPath {
				t.Errorf("storage has %+v", object)
			}
		})
	}
}
