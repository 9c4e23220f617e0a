package batchjob

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/resume"
)

// Submission is a job to submit once, whoever asks for it and however often.
type Submission struct {
	Batch    api.Batch
	Triggers map[string]string // of a resource: other values ask for another job
	Kind     resume.Kind
	Scope    string // of an action: what asks for the job
	Again    string // what submits it once more, such as "applying"
}

// Submit submits a job, unless an earlier run has and no state has shown it. Then the job is that
// one, with a warning, or an error if the service's response is not known: nothing can look it up.
// An action drops the line when it has told the user.
func (s Submission) Submit(ctx context.Context, data *providerdata.Data, diags *diag.Diagnostics) (made resume.Made, line *resume.Line) {
	request := resume.Request{
		Kind: s.Kind, Service: data.UploadAddress, Name: strings.Join(s.Batch.Paths, ", "),
		Body: struct {
			api.Batch
			Triggers map[string]string
			Scope    string
		}{s.Batch, s.Triggers, s.Scope},
	}
	answered := func(n *resume.Line) bool { return n.Made() != nil }
	if line, ok := data.Ledger.Take(ctx, request, answered); ok {
		diags.AddWarning("The batch job of an earlier run was recorded",
			fmt.Sprintf("An earlier run submitted a job with exactly these arguments at %s, and no plan on this machine has shown it in the state since. It was recorded, and no other job was submitted. "+
				"If another resource has this job, or to submit another one, %s.", utc(line.Began()), s.another()))
		return *line.Made(), line
	}
	if found := data.Ledger.Find(ctx, request); len(found) > 0 {
		diags.Append(s.unanswered(found[0]))
		return made, nil
	}
	line = data.Ledger.Begin(ctx, request)
	message, err := data.API.SubmitBatch(ctx, s.Batch)
	if err != nil {
		if !api.MayHaveBeenProcessed(err) {
			resume.Drop(ctx, line)
		}
		diags.Append(s.failed(err, line))
		return made, line
	}
	made = resume.Made{ID: rand.Text(), Message: message, At: utc(time.Now())}
	line.Complete(ctx, made)
	return made, line
}

// another says how another job with the same arguments is submitted.
func (s Submission) another() string {
	if s.Kind == resume.KindJob {
		return "run `terraform apply -replace` with the resource's address"
	}
	return "invoke the action again"
}

// unanswered is the error for a job that an earlier run has submitted without a response.
func (s Submission) unanswered(line *resume.Line) diag.Diagnostic {
	return diag.NewErrorDiagnostic("The batch job may have been submitted",
		fmt.Sprintf("An earlier run submitted a job with exactly these arguments at %s, and did not get a response. The service may be processing these paths:\n%s\n\n"+
			"The provider did not send the request again. Find out at the service whether the job is running. %s", utc(line.Began()), providerdata.List(s.Batch.Paths), s.anyway(line)))
}

// failed is the error of a request. It gives no advice to apply again if the job may have been
// submitted nevertheless.
func (s Submission) failed(err error, line *resume.Line) diag.Diagnostic {
	if !api.MayHaveBeenProcessed(err) {
		return providerdata.ErrorDiagnostic("Submitting the batch job", err)
	}
	return diag.NewErrorDiagnostic("The batch job may have been submitted",
		fmt.Sprintf("%s\n\nThe request was sent, but its outcome is not known. The service may be processing these paths:\n%s\n\n"+
			"The provider did not send the request again. Find out at the service whether the job is running. %s",
			providerdata.ErrorText(err), providerdata.List(s.Batch.Paths), s.anyway(line)))
}

// anyway says how the job is submitted although it may be running.
func (s Submission) anyway(line *resume.Line) string {
	if !line.Written() { // the next process does not know of it
		return fmt.Sprintf("If it is, %s again submits a second job.", s.Again)
	}
	change := ""
	if s.Kind == resume.KindJob {
		change = "change `triggers`, or "
	}
	return fmt.Sprintf("To submit it anyway, %sremove the file %s. Until then, %s again ends in this error.", change, line.Path(), s.Again)
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }
