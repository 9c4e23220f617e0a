package upload

import (
	"fmt"
	"slices"
	"strings"
)

// ParseKeyPath returns what a key path tells of its file (SERVICE.md, Uploads).
func ParseKeyPath(keyPath string) (customerID, fileName string, err error) {
	segments := strings.Split(keyPath, "/")
	if len(segments) != 5 || segments[0] != "vod" || segments[1] != "input" || slices.Contains(segments, "") {
		return "", "", fmt.Errorf("%q does not have the form of a key path, vod/input/<customer id>/<upload id>/<file name>", keyPath)
	}
	return segments[2], segments[4], nil
}

// CheckCustomer refuses the key path of a customer that the configuration does not allow.
func (u *Uploader) CheckCustomer(keyPath string) error {
	if u.AllowedCustomers == nil {
		return nil
	}
	customerID, _, err := ParseKeyPath(keyPath)
	if err != nil {
		return fmt.Errorf("%w, so its customer cannot be compared with `allowed_customer_ids`", err)
	}
	if !slices.Contains(u.AllowedCustomers, customerID) {
		return fmt.Errorf("the key path %s belongs to customer %q, but `allowed_customer_ids` allows only %q. "+
			"Check that the identity token is that of the right account", keyPath, customerID, u.AllowedCustomers)
	}
	return nil
}
