package livesession

import (
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/sessionfield"
)

const (
	statusReady     = "READY"
	statusScheduled = "SCHEDULED"
)

var (
	statuses         = sessionfield.Statuses
	terminalStatuses = []string{"ERROR", "TERMINATED", "STOPPED", "CANCELLED"}
	// unallocatedStatuses are those in which the listing has no addresses yet.
	unallocatedStatuses = []string{"PENDING", "PROVISIONING"}

	// passingStatuses are those in which no session stays.
	passingStatuses = []string{"PENDING", "PROVISIONING", "ALLOCATED", "STOPPING"}

	defaultWaitForStatus = []string{statusReady, statusScheduled}
)

func terminal(status string) bool { return slices.Contains(terminalStatuses, status) }

// ending reports whether a session with a status will not be ready any more.
func ending(status string) bool { return terminal(status) || status == "STOPPING" }
