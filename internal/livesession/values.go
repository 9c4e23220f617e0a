package livesession

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	typeName        = "vodlive_live_session" // of the resource, the data source, the list and the ephemeral resource
	writeOnlySuffix = "_wo"
)

// Values of the service (SERVICE.md, "Sessions").
const (
	modeHA   = "HA"
	modeNORM = "NORM"

	statusReady     = "READY"
	statusScheduled = "SCHEDULED"
	statusError     = "ERROR"
)

var (
	// directions are the values of input. output_mode takes them, too: the service documents only
	// the two PULL values for it, but has rules for the PUSH values.
	directions = []string{"RTMP_PUSH", "RTMP_PULL", "RTMPS_PUSH", "RTMPS_PULL"}
	pullValues = []string{"RTMP_PULL", "RTMPS_PULL"}
	pushValues = []string{"RTMP_PUSH", "RTMPS_PUSH"}
	modes      = []string{modeHA, modeNORM}

	codecs      = []string{"H264"}
	resolutions = []string{"SD", "HD", "FULL_HD"}
	bitrates    = []string{"MAX_10_MBPS", "MAX_20_MBPS"}

	statuses = []string{
		"PENDING", "PROVISIONING", "ALLOCATED", statusReady, "STOPPING", "STOPPED",
		"TERMINATED", statusError, statusScheduled, "CANCELLED",
	}
	terminalStatuses = []string{statusError, "TERMINATED", "STOPPED", "CANCELLED"}
	// unallocatedStatuses are those in which the listing has no addresses yet.
	unallocatedStatuses = []string{"PENDING", "PROVISIONING"}

	defaultWaitForStatus = []string{statusReady, statusScheduled}
)

func terminal(status string) bool { return slices.Contains(terminalStatuses, status) }

// enumerate formats items as "A, B or C", with the conjunction given.
func enumerate(items []string, conjunction string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " " + conjunction + " " + items[len(items)-1]
}

// quoted formats items as "A", "B" or "C".
func quoted(items []string) string {
	q := make([]string, len(items))
	for i, item := range items {
		q[i] = fmt.Sprintf("%q", item)
	}
	return enumerate(q, "or")
}

// alike returns the element of values that differs from value in letter case and separators only,
// or "".
func alike(value string, values []string) string {
	fold := strings.NewReplacer("-", "", "_", "", " ", "", ".", "")
	for _, v := range values {
		if strings.EqualFold(fold.Replace(v), fold.Replace(value)) {
			return v
		}
	}
	return ""
}

// elements are the known strings of a set, sorted.
func elements(set types.Set) []string {
	var items []string
	for _, e := range set.Elements() {
		if s, ok := e.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			items = append(items, s.ValueString())
		}
	}
	slices.Sort(items)
	return items
}

// waitStatuses returns the statuses of wait_for_status, or the default.
func waitStatuses(set types.Set) []string {
	if set.IsNull() {
		return defaultWaitForStatus
	}
	return elements(set)
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + " s" }

func count(n int) string {
	if n == 1 {
		return "1 session"
	}
	return strconv.Itoa(n) + " sessions"
}
