package acctest

import (
	"maps"
	"slices"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest/stage"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestFound plays the histories that found a defect.
func TestFound(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(found)) {
		h := found[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if i%6 > 0 { // what all go through, some of them show to the race detector
				stage.Large(t)
			}
			for range max(1, plays[name]) {
				Replay(t, h)
			}
		})
	}
}

// plays is how often a history is played whose outcome chance decides.
var plays = map[string]int{
	"session of another":                         10, // the order of the deletions decides
	"folders that exchange files":                5,  // which folder is first is chance
	"two tainted folders":                        3,
	"session left by an interrupted replacement": 3, // whether the interrupt comes before the Create
}

// found has each history under what it is about. A comment says what must hold, or what did not.
var found = map[string]History{
	// Terraform keeps every object that it cannot remove after create_before_destroy.
	"protected folder replaced twice": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoApply},
		{Do: DoProtect, On: "folder.one"},
		{Do: DoApply},
		{Do: DoCBD, On: "folder.one"},
		{Do: DoTaint, On: "folder.one"},
		{Do: DoApply},
		{Do: DoTaint, On: "folder.one"},
		{Do: DoApply},
	}},
	// Two unfinished uploads of one content and name share a record. Each goes on where it stopped,
	// whichever of them the record has.
	"uploads of one content continue": {Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoConfig, On: "upload.twin", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "400"}}},
		{Do: DoApply},
	}},
	// An unfinished upload in the state is tried in another account, and then begun again there.
	"other account is asked once": {Service: Service{KMS: true}, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "404", Times: 1}}},
		{Do: DoAccount, N: 5},
	}},
	// The credentials of another account take no session out of the state.
	"session of another account": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 7},
		{Do: DoApply},
		{Do: DoAccount, N: 1},
		{Do: DoApply},
		{Do: DoAccount, N: 0},
		{Do: DoApply},
		{Do: DoAccount, N: 1},
	}},
	// A session that the user forgot appears in the listing just when the answer to a create is
	// lost.
	"session of before appears late": {Service: Service{GetLate: 10, ListLate: 25}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoApply},
		{Do: DoRemove, On: "session.a"},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallCreateSession, What: "503 after", Times: 1}}},
	}},
	// One text names the lines of both creates whose answers were lost.
	"two lost creates beside an equal session": {Steps: []Step{
		{Do: DoConfig, In: 1, On: "session.a", N: 4},
		{Do: DoConfig, On: "session.b", N: 1},
		{Do: DoConfig, In: 1, On: "session.b", N: 8},
		{Do: DoReplace, In: 1, On: "session.b", Faults: []Trouble{{Call: simulator.CallCreateSession, What: "503", Times: 2}}},
	}},
	// A replacement is refused before its Delete, too, by a session that the Delete of another
	// resource has left and whose Create did not come.
	"session left by an interrupted replacement": {Service: Service{GetLate: 3}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoConfig, On: "session.b", N: 5},
		{Do: DoApply},
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoApply, During: []Step{{Do: DoInterrupt, At: 5}}},
		{Do: DoTaint, On: "session.a"},
	}},
	// A saved plan is applied with the configuration that it was made of.
	"saved plan has its configuration": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 4},
		{Do: DoConfig, On: "status.all", N: 2},
		{Do: DoSave},
		{Do: DoConfig, On: "status.all", N: 1},
		{Do: DoSaved},
	}},
	// An interrupted run cannot be killed any more, and its texts were seen.
	"interrupted before the kill": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 2},
		{Do: DoConfig, On: "session.b", N: 2},
		{Do: DoApply, During: []Step{{Do: DoKill, N: 3, At: 3}, {Do: DoInterrupt, At: 6}}},
		{Do: DoApply},
	}},
	// An object that a create_before_destroy could not remove is removed by the next apply, even if
	// that replaces the object once more.
	"deposed object goes": {Steps: []Step{
		{Do: DoConfig, On: "session.b", N: 5},
		{Do: DoCBD, On: "session.b"},
		{Do: DoApply},
		{Do: DoReplace, On: "session.b", Faults: []Trouble{{Call: simulator.CallGetSession, What: "403", After: 2, Times: 1}}},
		{Do: DoApply},
	}},
	// Of two resources of one content, either may continue an unfinished upload. The other one then
	// has no part that is stored.
	"twin takes an unfinished upload": {Steps: []Step{
		{Do: DoConfig, On: "upload.twin", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "404", Times: 1}}},
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoApply},
	}},
	// An update counts the files that it has stored, not those of before.
	"count of stored files": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 4},
		{Do: DoApply},
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartCreate, What: "break after"}}},
	}},
	// Files of a folder of which the provider does not know whether they are stored, but the user
	// does.
	"files are adopted": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "break after"}}},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "NoSuchUpload", Times: 6}}},
		{Do: DoAdvice},
		{Do: DoApply},
	}},
	// The error of a create whose answer was lost was not printed yet when Terraform was killed.
	"lost create before the kill": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 3},
		{Do: DoConfig, On: "session.b", N: 5},
		{Do: DoConfig, On: "status.all", N: 1},
		{
			Do: DoApply, Faults: []Trouble{{Call: simulator.CallListSessions, What: "400", Times: 1}, {Call: simulator.CallCreateSession, What: "503 after", Times: 1}},
			During: []Step{{Do: DoKillEarly, At: 9}},
		},
	}},
	// The user's sha256 is ignored while the file becomes another one and another argument changes.
	// Without ignore_changes, the new content is uploaded.
	"ignored content is seen later": {Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 3},
		{Do: DoApply},
		{Do: DoIgnore, On: "upload.small", N: 3},
		{Do: DoWrite, On: "small.mp4", N: 2},
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoApply},
		{Do: DoIgnore, On: "upload.small"},
		{Do: DoApply},
	}},
	// What an interrupted apply of one workspace has stored is not handed to another one.
	"folder of two workspaces": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1},
		{Do: DoConfig, In: 1, On: "folder.one", N: 1},
		{Do: DoApply, During: []Step{{Do: DoInterrupt, At: 3}}},
		{Do: DoApply, In: 1},
	}},
	// The plan of a protected session took null for a URL that was not known yet, which Terraform
	// refuses.
	"unknown URL of protected session": {Steps: []Step{
		{Do: "configure", On: "session.a", N: 4},
		{Do: "route through data.via", On: "session.a", N: 1},
		{Do: "deletion_protection", On: "session.a"},
		{Do: "apply"},
		{Do: "configure", On: "session.a", N: 2},
		{Do: "apply"},
		{Do: "configure", On: "session.a", N: 4},
		{Do: "change data.via"},
		{Do: "apply"},
	}},
	// Without an identity token, an update of a folder that sends nothing crashed.
	"update without token": {Steps: []Step{
		{Do: "configure", On: "folder.one", N: 1},
		{Do: "apply"},
		{Do: "wrong credentials", N: 3},
		{Do: "deletion_protection", On: "folder.one"},
		{Do: "apply"},
		{Do: "destroy"},
	}},
	// Of a folder whose creation failed, the files that are stored were replaced by others under a
	// new media type, and no text named them.
	"replaced files of tainted folder": {Steps: []Step{
		{Do: "configure", On: "folder.one", N: 2},
		{Do: "apply", Faults: []Trouble{{Call: "multipart-create", What: "403", Times: 1}}},
		{Do: "configure", On: "folder.one", N: 5},
		{Do: "apply"},
	}},
	// Of two equal uploads one was replaced because the user asked for it, and so was the other
	// one, whose content was not known while planning: nothing tells their creates apart. Nothing
	// is lost.
	"equal uploads": {Steps: []Step{
		{Do: "configure", On: "upload.small", N: 2},
		{Do: "route through data.via", On: "upload.small", N: 1},
		{Do: "configure", On: "upload.twin", N: 3},
		{Do: "apply"},
		{Do: "change data.via"},
		{Do: "apply -replace", On: "upload.twin"},
	}},
	// The user looks for the file of a folder that the apply makes, whose completion was lost.
	"completion of made folder": {Service: Service{KMS: true}, Steps: []Step{
		{Do: "configure", On: "file.one", N: 3},
		{Do: "configure", On: "folder.made", N: 2},
		{Do: "apply", Faults: []Trouble{{Call: "multipart-complete", What: "silent after", Times: 1}}},
	}},
	// With -replace, the file of an upload vanishes between plan and apply: the upload stays, but
	// the job on it was forgotten first, and submitted again.
	"forced replacement without the file": {Steps: []Step{
		{Do: DoConfig, On: "file.one", N: 2},
		{Do: DoConfig, On: "upload.made", N: 2},
		{Do: DoConfig, On: "job.made", N: 1},
		{Do: DoApply},
		{Do: DoReplace, On: "upload.made", During: []Step{{Do: DoDelete, On: "made/one.mp4", N: 2}}},
	}},
	// A file vanishes between the plan that replaces a tainted folder and its apply: the folder's
	// stored files were forgotten before the plan of its create was refused.
	"tainted folder that changes": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: "put-part", What: "500", After: 1}}},
		{Do: DoApply, During: []Step{{Do: DoDelete, On: "media/a.mp4", N: 3}}},
	}},
	// Two sessions come out as they were, of which one knew more while planning. The other one may
	// not take its session, because no other session is left for it then.
	"session of another": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoConfig, On: "session.b", N: 8},
		{Do: DoVia, On: "session.b", N: 1},
		{Do: DoApply},
		{Do: DoVia, On: "session.a", N: 1},
		{Do: DoApply},
	}},
	// A file is imported that the next apply makes, while one of another size is in its place.
	"import beside another file": {Steps: []Step{
		{Do: DoConfig, On: "file.one", N: 3},
		{Do: DoConfig, In: 1, On: "file.one", N: 1},
		{Do: DoConfig, In: 1, On: "upload.made", N: 3},
		{Do: DoApply, In: 1},
		{Do: DoMove, In: 1, On: "upload.made"},
	}},
	// A saved plan is applied without the folder of which it uploads a file. A job on another file,
	// of which not all is known, stays.
	"job on a folder that is away": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1},
		{Do: DoConfig, On: "job.b", N: 1},
		{Do: DoVia, On: "job.b", N: 1},
		{Do: DoApply},
		{Do: DoSalt},
		{Do: DoWrite, On: "media/a.mp4", N: 3},
		{Do: DoSave},
		{Do: DoRename, On: mediaDir},
		{Do: DoSaved},
		{Do: DoRename, On: mediaDir},
	}},
	// A session is created as the configuration spells its region, not as the service showed that
	// of the session before.
	"new session in its own spelling": {Service: Service{GetLate: 10, Others: 1, Respelled: true}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallCreateSession, What: "503 after", Times: 1}}},
		{Do: DoConfig, On: "session.a", N: 1},
	}},
	// A run that is killed after a 404 has removed a session from the state, and could not say so.
	"not found in a killed run": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallGetSession, What: "404", Times: 1}}, During: []Step{{Do: DoKill, At: 4}}},
	}},
	// The CLI dies while an upload is completed. Its record stays, and records belong to the
	// account: the other workspace finishes the upload, and the first one begins its own.
	"unfinished upload of another workspace": {Seed: 1, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 1},
		{Do: DoConfig, In: 1, On: "upload.small", N: 1},
		{Do: DoConfig, On: "upload.twin", N: 1},
		{Do: DoConfig, In: 1, On: "upload.twin", N: 1},
		{Do: DoApply, During: []Step{{Do: DoKillCLI, At: 6}}},
		{Do: DoApply, In: 1},
	}},
	// A tainted folder is replaced by one that was not known while planning and has none of its
	// files: the ledger keeps what is stored, and a text names it.
	"tainted folder that is another": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoVia, On: "folder.one", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "break after", After: 2}}},
		{Do: DoConfig, On: "folder.one", N: 6},
		{Do: DoApply},
	}},
	// A ledger that was written today is not old because the machine has been on for a year.
	"line after a year": {Steps: []Step{
		{Do: "configure", On: "file.one", N: 3},
		{Do: "configure", On: "upload.made", N: 1},
		{Do: "configure", On: "job.made", N: 1},
		{Do: "change account", N: 1},
		{Do: "apply"},
		{Do: "wait"},
		{Do: "apply -replace", On: "job.made", During: []Step{{Do: "kill", N: 3, At: 1}}},
		{Do: "apply"},
	}},
	// The text that nothing was sent is right beside a session that somebody else creates.
	"session of somebody else": {Seed: 2, Service: Service{ListLate: 25, Shifting: true, KMS: true}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoConfig, On: "session.b", N: 104},
		{Do: DoApply, During: []Step{{Do: DoKillCLI, At: 6}}},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallGetSession, What: "401", Times: 1}}},
	}},
	// What a failed update has stored is not sent by an apply in another workspace, nor expected to
	// be.
	"apply elsewhere": {Steps: []Step{
		{Do: DoConfig, On: "upload.twin", N: 2},
		{Do: DoApply},
		{Do: DoWrite, On: "small.mp4", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallMultipartComplete, What: "silent", Times: 1}}},
		{Do: DoApply, In: 2},
	}},
	// A run in another account removes a record that nobody has used for a year.
	"record of a year ago": {Steps: []Step{
		{Do: DoConfig, On: "upload.big", N: 3},
		{Do: DoApply},
		{Do: DoWrite, On: "big.mp4", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallPutPart, What: "500", After: 1, Times: 20}}},
		{Do: DoWrite, On: "big.mp4", N: 3},
		{Do: DoApply},
		{Do: DoAccount, N: 1},
		{Do: DoLater},
		{Do: DoApply},
	}},
	// A plan that sets deletion_protection to false may move to a new session.
	"change that lifts protection": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 4},
		{Do: DoProtect, On: "session.a"},
		{Do: DoApply},
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoProtect, On: "session.a"},
		{Do: DoApply},
	}},
	// A plan with sha256 reads no content, and a file of another size cannot continue the
	// unfinished upload, which is named.
	"other size than planned": {Steps: []Step{
		{Do: DoConfig, On: "upload.big", N: 3},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallPutPart, What: "500", After: 1, Times: 20}}},
		{Do: DoWrite, On: "big.mp4", N: 3},
		{Do: DoApply},
	}},
	// A part that its PUT proved, by Content-MD5, is sent again by another process.
	"killed before KMS completes": {Service: Service{KMS: true}, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallPutPart, What: "403", Times: 1}}, During: []Step{{Do: DoKill, N: 3, At: 8}}},
		{Do: DoApply},
	}},
	// Parts of another size are not continued, and the upload is named.
	"other parts": {Steps: []Step{
		{Do: DoConfig, On: "upload.big", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: simulator.CallPutPart, What: "500", After: 1, Times: 20}}},
		{Do: DoConfig, On: "upload.big", N: 6},
		{Do: DoApply},
	}},
	// The state keeps its session where the ledger has one that the replacement may not be created
	// beside.
	"replacement beside a lost one": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply},
		{Do: DoReplace, On: "session.a", During: []Step{{Do: DoLose, At: 12}}},
		{Do: DoReplace, On: "session.a"},
	}},
	// A killed run has stored equal files for a folder that is in no state, and for one that is
	// tainted.
	"folders that exchange files": {Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1},
		{Do: DoConfig, On: "folder.two", N: 2},
		{Do: DoApply, Faults: []Trouble{{Call: "presign-url", What: "401", Times: 1}}, During: []Step{{Do: DoKillEarly, At: 8}}},
	}},
	// The replacement of one tainted folder is refused, and that of the other one has taken a file
	// of it instead of its own.
	"folder whose file changes between": {Seed: 9788, Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1063},
		{Do: DoConfig, On: "folder.two", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: "put-object", What: "500", After: 3}}},
		{Do: DoApply, During: []Step{{Do: DoWrite, On: "media/a.mp4", N: 2, At: afterDeletes}}},
		{Do: DoApply},
	}},
	// A checksum proves the only part of an upload, so its wrong ETag ends the upload, and another
	// one the new upload.
	"wrong ETags of two uploads": {Service: Service{Oldest: true, CheckUpload: true, Checksum: "sha256"}, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 4},
		{Do: DoApply, Faults: []Trouble{{Call: "put-part", What: "wrong ETag", Times: 2}}},
		{Do: DoApply},
	}},
	// A session that became ready is replaced as the user asks.
	"ready after a time limit": {Service: Service{GetLate: 3}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoApply},
		{Do: DoApply},
		{Do: DoReplace, On: "session.a"},
	}},
	// The replacements of two folders of one path take the same files.
	"two tainted folders": {Seed: 3, Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1005},
		{Do: DoConfig, On: "folder.two", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: "put-object", What: "500", After: 3}}},
		{Do: DoApply},
	}},
	// The text names both, so that both are imported at once.
	"two equal sessions of a lost state": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoConfig, On: "session.b", N: 6},
		{Do: DoApply, During: []Step{{Do: DoLose}}},
	}},
	// The replacement reads the session again.
	"unreadable session that is not waited for": {Steps: []Step{
		{Do: DoConfig, On: "session.b", N: 4},
		{Do: DoApply, Faults: []Trouble{{Call: "get-session", What: "403", Times: 1}}},
	}},
	// Applies go on waiting for a session that the service shows only after several time limits.
	"time limit in another account": {Seed: 694, Service: Service{GetLate: 25, Shifting: true}, Steps: []Step{
		{Do: DoConfig, In: 1, On: "session.a", N: 5},
		{Do: DoConfig, In: 1, On: "session.b", N: 5},
		{Do: DoApply, In: 1},
		{Do: DoAccount, In: 1, N: 1},
	}},
	// Pulumi deletes what it has saved, and no plan has shown it before.
	"delete without a plan": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply},
		{Do: DoPulumi, On: "session.a"},
	}},
	// A create that was torn off, with the same arguments, refuses a replacement, and not a
	// deletion.
	"delete without a plan beside doubt": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 7},
		{Do: DoApply},
		{Do: DoCBD, On: "session.a"},
		{Do: DoReplace, On: "session.a", Faults: []Trouble{{Call: "create-session", What: "break after", Times: 1}}},
		{Do: DoPulumi, On: "session.a"},
	}},
	// Nothing has shown the other session yet.
	"delete without a plan beside an equal one": {Seed: 63, Steps: []Step{
		{Do: DoConfig, On: "session.b", N: 8},
		{Do: DoConfig, On: "session.a", N: 4},
		{Do: DoStored},
		{Do: DoPulumi, On: "session.b"},
	}},
	// The error speaks of its own create, because the same apply may create another session.
	"unreadable session of an earlier run": {Steps: []Step{
		{Do: DoConfig, On: "session.b", N: 2},
		{Do: DoApply, During: []Step{{Do: DoKillEarly, At: 5}}},
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: "get-session", What: "403", Times: 1}}},
	}},
	// The advice for the session of the failed update leads to an empty plan.
	"tainted while another is on its way": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply},
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoApply, During: []Step{{Do: DoInterrupt, At: 4}}},
		{Do: DoTaint, On: "session.a"},
	}},
	// A session is left that only the CLI names.
	"test of what is prevented from destroying": {Steps: []Step{
		{Do: DoConfig, On: "session.b", N: 1},
		{Do: DoPrevent, On: "session.b"},
		{Do: DoTest},
	}},
	// A folder is replaced, the disk is full when its files are left to the create, and that is
	// refused.
	"files that are left without a ledger": {Seed: 4153, Steps: []Step{
		{Do: DoConfig, On: "file.one", N: 3},
		{Do: DoConfig, On: "file.two", N: 3},
		{Do: DoConfig, On: "folder.made", N: 1},
		{Do: DoReplace, On: "folder.made", During: []Step{{Do: DoWrite, On: "made/two.mp4", N: 1, At: 1}}},
		{Do: DoApply, Faults: []Trouble{{Call: "media files", What: "EIO", After: 1, Times: 2}, {Call: "files of resume_dir", What: "no space", Times: 1}}},
	}},
	// A GET does not show in time a session that is to be left to the create of its replacement.
	"unreadable session on its way": {Service: Service{GetLate: 25}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoStored},
		{Do: DoStored, On: "session.a"},
	}},
	// A create before the destroy was refused again and again: no text said that `terraform state
	// rm` comes before the import.
	"lost create before destroy": {Service: Service{GetLate: 25, PageSize: 2, Lifetime: 40, Shifting: true, KMS: true, CheckUpload: true}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoApply},
		{Do: DoCBD, On: "session.a"},
		{Do: DoReplace, On: "session.a"},
		{Do: DoApply, Faults: []Trouble{{Call: "create-session", What: "cut", Times: 1}}},
	}},
	// One warning names two unfinished uploads of which nothing is left, with the reason for each.
	"unfinished uploads that are gone": {Seed: 92, Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 2},
		{Do: DoConfig, On: "folder.two", N: 1},
		{Do: DoBoth, N: 2, Faults: []Trouble{{Call: "multipart-create", What: "break before", Times: 1}, {Call: "presign-url", What: "401", Times: 1}, {Call: "multipart-create", What: "401", Times: 1}}, During: []Step{{Do: DoSwap, On: "media/b.mp4", N: 2, At: 5}}},
		{Do: DoApply, During: []Step{{Do: DoDrop, At: 12}}},
	}},
	// Complete was answered 502 and then 404, and the state was lost: the next run took the file
	// from the ledger without the warning that it may not be stored.
	"doubt of an earlier run": {Seed: 2, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 4},
		{Do: DoApply, Faults: []Trouble{{Call: "multipart-complete", What: "502", Times: 1}}, During: []Step{{Do: DoDrop, At: 5}, {Do: DoLose, At: 9}}},
	}},
	// A saved plan has a hash of a file that is away when the plan is applied: Terraform evaluates
	// the input of terraform_data again.
	"saved plan without the file": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 2},
		{Do: DoVia, On: "session.a", N: 1},
		{Do: DoConfig, On: "upload.small", N: 2},
		{Do: DoConfig, On: "upload.twin", N: 3},
		{Do: DoVia, On: "upload.twin", N: 1},
		{Do: DoConfig, On: "job.one", N: 1},
		{Do: DoVia, On: "job.one", N: 1},
		{Do: DoSave},
		{Do: DoRename, On: "small.mp4"},
		{Do: DoSaved},
	}},
	// The create of one of two equal sessions takes the session on its way that the other's
	// replacement has left. The other is refused, and nothing is lost.
	"equal session is taken": {Seed: 31, Steps: []Step{
		{Do: DoConfig, In: 1, On: "session.a", N: 8},
		{Do: DoConfig, In: 1, On: "session.b", N: 8},
		{
			Do: DoApply, In: 1, Faults: []Trouble{{Call: simulator.CallGetSession, What: "401", Times: 1}},
			During: []Step{{Do: "kill the CLI", N: 3, At: 7}},
		},
		{Do: DoApply, In: 1},
	}},
	// Two equal sessions are replaced on their way, one of them with other arguments. The create of
	// the other may take either.
	"equal session is left": {Seed: 9, Service: Service{GetLate: 25, Shifting: true, Repeat: true, Oldest: true, Respelled: true, KMS: true, Backends: true}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 5},
		{Do: DoConfig, On: "session.b", N: 5},
		{Do: DoApply},
		{Do: DoConfig, On: "session.a", N: 2},
	}},
	// What a create without a response may have made is refused only while it may run.
	"unanswered create whose sessions ended": {Service: Service{Shifting: true, Others: 4, Oldest: true, Respelled: true, KMS: true, CheckUpload: true, Checksum: "sha256"}, Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 8},
		{Do: DoConfig, In: 1, On: "session.a", N: 8},
		{Do: DoConfig, On: "status.all", N: 1},
		{Do: DoApply, During: []Step{{Do: DoKillCLI, At: 4}}},
		{Do: DoConfig, On: "session.a", N: 6},
		{Do: DoApply},
		{Do: DoTaint, On: "session.a"},
		{Do: DoApply},
		{Do: DoReplace, On: "session.a", Faults: []Trouble{{Call: "create-session", What: "502", Times: 1}}},
		{Do: DoApply, In: 1, During: []Step{{Do: DoStatus, N: 1, At: 1}}},
	}},
	// A file that nothing proves yet is not recorded.
	"killed before a proof": {Seed: 1, Service: Service{KMS: true}, Steps: []Step{
		{Do: DoConfig, On: "upload.small", N: 1},
		{Do: DoApply, During: []Step{{Do: DoKillCLI, N: 3, At: 3}}},
		{Do: DoApply},
	}},
	// The state has the status that replaces a session, and the configuration ignores the argument.
	"ignored replace on status": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 105},
		{Do: DoApply},
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoIgnore, On: "session.a", N: 1},
		{Do: DoApply},
	}},
	// The answer to a file of one PUT has no checksum where those to parts have one.
	"checksums of parts prove no file": {Seed: 1, Service: Service{Others: 4, KMS: true, Checksum: "sha256", Backends: true}, Steps: []Step{
		{Do: DoConfig, On: "folder.one", N: 1002},
		{Do: DoApply, During: []Step{{Do: DoWrite, On: "media/sub/c.mp4", N: 2, At: -1}}},
		{Do: DoReplace, On: "folder.one", During: []Step{{Do: DoWrite, On: "media/sub/c.mp4", N: 1}}},
		{Do: DoApply, During: []Step{{Do: DoKillCLI, N: 3, At: 7}}},
		{Do: DoApply},
	}},
	// One answer had the ETag of something else, and the request that completes the upload had no
	// answer. The next apply begins the upload again.
	"ETag that storage does not know": {Service: Service{Checksum: "sha256"}, Steps: []Step{
		{Do: DoConfig, On: "upload.big", N: 4},
		{Do: DoAccount, N: 1},
		{Do: DoApply, Faults: []Trouble{{Call: "multipart-complete", What: "silent", Times: 2}, {Call: "put-part", What: "KMS ETag", Times: 1}}},
		{Do: DoApply},
	}},
	// A 404 that follows failed attempts still is the response of another account.
	"other account after a retry": {Steps: []Step{
		{Do: DoConfig, On: "session.a", N: 1},
		{Do: DoApply},
		{Do: DoAccount, N: 1},
		{Do: DoApply, Faults: []Trouble{
			{Call: simulator.CallGetSession, What: "break before", Times: 1}, {Call: simulator.CallGetSession, What: "break before", Times: 1},
		}},
	}},
}

// TestFoundTaintedFolderThatCannotBeRead has reading a file fail once the folder that is replaced
// has been forgotten.
func TestFoundTaintedFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	for after := range 8 {
		Replay(t, History{Steps: []Step{
			{Do: DoConfig, On: "folder.one", N: 2},
			{Do: DoApply, Faults: []Trouble{{Call: "put-part", What: "500", After: 1}}},
			{Do: DoRecords},
			{Do: DoTouch, On: "media/a.mp4"},
			{Do: DoApply, Faults: []Trouble{{Call: mediaFiles, What: "EIO", After: after, Times: 1}}},
		}})
	}
}

// TestFoundWrongETagOfAProvedPart: the MD5 that the PUT says, or storage's checksum, proves a part
// whose ETag is no MD5.
func TestFoundWrongETagOfAProvedPart(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	for _, checksum := range []string{"", "sha256"} {
		Replay(t, History{Service: Service{Checksum: checksum}, Steps: []Step{
			{Do: DoConfig, On: "upload.big", N: 5},
			{Do: DoApply, Faults: []Trouble{{Call: "put-part", What: "wrong ETag", Times: 3}}},
			{Do: DoConfig, On: "upload.small", N: 1},
			{Do: DoApply, Faults: []Trouble{{Call: "put-object", What: "wrong ETag", Times: 3}}},
		}})
	}
}

// TestFoundStateThatABackendLost: nothing is made again, whether the state never was saved or is
// that of the run before.
func TestFoundStateThatABackendLost(t *testing.T) {
	t.Parallel()
	stage.Large(t)
	for _, backends := range []bool{false, true} {
		Replay(t, History{Service: Service{Backends: backends}, Steps: []Step{
			{Do: DoConfig, On: "session.a", N: 1},
			{Do: DoConfig, On: "upload.small", N: 1},
			{Do: DoConfig, On: "job.one", N: 1},
			{Do: DoApply, During: []Step{{Do: DoLose}}},
			{Do: DoConfig, In: 1, On: "session.a", N: 1},
			{Do: DoApply, In: 1},
			{Do: DoApply},
			{Do: DoAdvice},
			{Do: DoTest},
			{Do: DoApply},
			{Do: DoConfig, On: "session.a", N: 4},
			{Do: DoApply, During: []Step{{Do: DoLose}}},
			{Do: DoApply},
		}})
	}
}
