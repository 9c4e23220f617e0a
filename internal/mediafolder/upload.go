package mediafolder

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/mediafile"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// How a user goes on after files failed.
const (
	nextApply   = "The next apply sends only what is missing."
	taintAdvice = "Its plan reads \"must be replaced\", because Terraform marks what could not be created as tainted. " +
		"With `prevent_destroy` or `create_before_destroy`, first run `terraform untaint` with the address of the resource."
)

// uploaded is what an upload of a folder has done.
type uploaded struct {
	stored     map[string]file       // all stored files of the folder, also those of before
	sent       []upload.File         // that were to be uploaded
	failed     map[string]error      // by relative path
	incomplete map[string]attr.Value // unfinished uploads of failed files, by relative path
	warnings   []upload.Warning
}

// upload uploads the files that are not stored. A file that fails stays as the state has it.
func (p *planner) upload(ctx context.Context, files map[string]file, show func(line string)) uploaded {
	result := uploaded{stored: maps.Clone(files), failed: map[string]error{}, incomplete: map[string]attr.Value{}}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if f := files[name]; !f.isStored() {
			names = append(names, name)
			result.sent = append(result.sent, f.upload(name, p.paths[name]))
		}
	}
	storedByName := p.storedByName()
	for i, outcome := range p.data.Uploader.UploadFolder(ctx, p.title(), result.sent, show) {
		name := names[i]
		result.warnings = append(result.warnings, outcome.Warnings...)
		if outcome.Err == nil {
			f := files[name]
			f.KeyPath, f.ETag, f.UploadedAt = outcome.KeyPath, outcome.ETag, outcome.UploadedAt
			result.stored[name] = f
			continue
		}
		result.failed[name] = outcome.Err
		if before, ok := storedByName[storedName(name)]; ok {
			result.stored[name] = before
		} else {
			delete(result.stored, name)
		}
		if outcome.Left != nil {
			result.incomplete[name] = mediafile.IncompleteObject(result.sent[i], outcome.Left)
		}
	}
	return result
}

// diagnostics returns the warnings of an upload, and one error for all files that failed.
func (u uploaded) diagnostics(dir, advice string) (diags diag.Diagnostics) {
	mediafile.Warnings(u.warnings, &diags)
	if len(u.failed) == 0 {
		return diags
	}
	paragraphs := []string{
		fmt.Sprintf("%d of %d files of %s could not be uploaded:\n%s", len(u.failed), len(u.sent), dir, providerdata.List(failureLines(u.failed))),
		firstAdvice(u.failed),
		strings.TrimSpace(fmt.Sprintf("Files that this run has stored: %d. %s", len(u.sent)-len(u.failed), advice)),
	}
	isEmpty := func(paragraph string) bool { return paragraph == "" }
	diags.AddError("Files could not be uploaded", strings.Join(slices.DeleteFunc(paragraphs, isEmpty), "\n\n"))
	return diags
}

// firstAdvice returns what can be done about the first error that says it, "" if none does. Most
// failures of one run have one cause.
func firstAdvice(failed map[string]error) string {
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		if advice := providerdata.Advice(failed[name]); advice != "" {
			return advice
		}
	}
	return ""
}

// failureLines returns a line for each error text, because an outage has one for thousands of files.
func failureLines(failed map[string]error) (lines []string) {
	names := map[string][]string{}
	for name, err := range failed {
		text := providerdata.ErrorText(err)
		names[text] = append(names[text], name)
	}
	for text, with := range names {
		slices.Sort(with)
		subject := strings.Join(with[:min(len(with), 3)], ", ")
		if more := len(with) - 3; more > 0 {
			subject += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, subject+": "+text)
	}
	slices.Sort(lines)
	return lines
}

// leftFiles has the stored files that left the state with a folder whose creation failed. Delete
// adds them, and the Create that follows in the same run takes them.
type leftFiles struct {
	mu    sync.Mutex
	files map[place]file
}

// place is a path on this machine with the content of the file there.
type place struct {
	path, sha256, contentType string
	size                      int64
}

func placeOf(localPath string, f file) place {
	return place{localPath, f.SHA256, f.ContentType, f.Size}
}

func (l *leftFiles) add(localPath string, f file) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files == nil {
		l.files = map[place]file{}
	}
	l.files[placeOf(localPath, f)] = f
}

// takeLeftFiles completes the planned files that a Delete of this run has left.
func takeLeftFiles(data *providerdata.Data, s Selection, files map[string]file) {
	left := providerdata.Shared[leftFiles](data)
	left.mu.Lock()
	defer left.mu.Unlock()
	for name, f := range files {
		at := placeOf(s.localPath(name), f)
		if stored, ok := left.files[at]; ok && !f.isStored() {
			files[name] = stored
			delete(left.files, at)
		}
	}
}
