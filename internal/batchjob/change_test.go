package batchjob_test

import (
	"net/http"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFailedUploadKeepsTheJob: a job is not submitted again, nor forgotten, where the file that it
// depends on cannot be uploaded.
func TestFailedUploadKeepsTheJob(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	cli.Write("a.mp4", "first")
	const upload = "resource \"vodlive_media_upload\" \"file\" {\n  source = \"a.mp4\"\n}\n"
	cli.Config(upload + job(`paths = [vodlive_media_upload.file.key_path]`, modes("video_optimizer")))
	cli.Must("apply", "-auto-approve")
	before := cli.State()
	cli.Write("a.mp4", "second, and longer")
	cli.Must("plan", "-out=saved.plan")
	server.Fail(simulator.Fault{Call: simulator.CallPresignURL, Status: http.StatusForbidden})
	r := cli.Run("apply", "saved.plan")
	after := cli.State()
	if r.Code == 0 || after[address].Values["id"] != before[address].Values["id"] || after["vodlive_media_upload.file"].Values["key_path"] != before["vodlive_media_upload.file"].Values["key_path"] {
		t.Errorf("exit code %d, %v\n%s", r.Code, after, r.Output)
	}
	server.ClearFaults()
	cli.Write("a.mp4", "first")
	cli.AssertNoChanges()
	if n := len(server.Batches()); n != 1 {
		t.Errorf("%d jobs were submitted", n)
	}
}
