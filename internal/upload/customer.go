package upload

import (
	"fmt"
	"slices"
	"strings"
)

// KeyPath is a key path taken apart (SERVICE.md, Uploads).
type KeyPath struct{ CustomerID, UploadID, FileName string }

// ParseKeyPath takes a key path apart. Without the form of a key path, the error says which it is.
func ParseKeyPath(keyPath string) (KeyPath, error) {
	segments := strings.Split(keyPath, "/")
	if len(segments) != 5 || segments[0] != "vod" || segments[1] != "input" || slices.Contains(segments, "") {
		return KeyPath{}, fmt.Errorf("%q does not have the form of a key path, vod/input/<customer id>/<upload id>/<file name>", keyPath)
	}
	return KeyPath{CustomerID: segments[2], UploadID: segments[3], FileName: segments[4]}, nil
}

// CheckCustomer refuses the key path of a customer that the configuration does not allow. If every
// customer is allowed, it accepts any text.
func (u *Uploader) CheckCustomer(keyPath string) error {
	if u.AllowedCustomers == nil {
		return nil
	}
	parsed, err := ParseKeyPath(keyPath)
	if err != nil {
		return fmt.Errorf("%w, so its customer cannot be compared with `allowed_customer_ids`", err)
	}
	if !slices.Contains(u.AllowedCustomers, parsed.CustomerID) {
		return fmt.Errorf("the key path %s belongs to customer %q, but `allowed_customer_ids` allows only %q. "+
			"Check that the identity token is that of the right account", keyPath, parsed.CustomerID, u.AllowedCustomers)
	}
	return nil
}
