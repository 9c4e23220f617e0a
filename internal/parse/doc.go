// Package parse reads and writes texts: key paths, ETags, the URLs of streams, the local times of
// scheduled sessions, and strings that are shown on a terminal or pasted into a configuration.
//
// A local time is YYYY-MM-DD HH:MM in a time zone of the tz database; a clock change may skip it or
// make it occur twice. The tz database is embedded and that of the machine is never used, so that
// results are the same on every machine.
package parse
