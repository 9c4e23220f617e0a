package livesession

import "slices"

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

// ending reports whether a session with a status will not be ready any more.
func ending(status string) bool { return terminal(status) || status == "STOPPING" }
