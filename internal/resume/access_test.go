package resume

import "testing"

func TestAccessOfOthersOnWindows(t *testing.T) {
	t.Parallel()
	const (
		self, other    = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
		system, admins = "S-1-5-18", "S-1-5-32-544"
		everybody      = "S-1-1-0"
		authenticated  = "S-1-5-11"
		full, modify   = 0x1f01ff, 0x1301bf
		readAndExecute = 0x1200a9
	)
	profile := []access{{0, full, system}, {0, full, admins}, {0, full, self}}
	for name, test := range map[string]struct {
		owner   string
		entries []access
		want    error
	}{
		"profile":               {self, profile, nil},
		"of an elevated user":   {admins, profile, nil},
		"of another user":       {other, profile, errForeign},
		"others read":           {self, append([]access{{0, readAndExecute, everybody}}, profile...), nil},
		"below C:":              {self, append([]access{{0, modify, authenticated}}, profile...), errWritable},
		"generic write":         {self, append([]access{{0, 0x40000000, everybody}}, profile...), errWritable},
		"may take ownership":    {self, append([]access{{0, 0x80000, other}}, profile...), errWritable},
		"may remove files":      {self, append([]access{{0, 0x40, other}}, profile...), errWritable},
		"creator and owner":     {self, append([]access{{0, 0x10000000, "S-1-3-0"}, {0, full, "S-1-3-4"}}, profile...), nil},
		"denied":                {self, append([]access{{1, full, everybody}}, profile...), nil},
		"entry of another kind": {self, append([]access{{9, readAndExecute, self}}, profile...), errWritable},
	} {
		if got := checkAccess(test.owner, self, test.entries); got != test.want { //nolint:errorlint // not wrapped
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
