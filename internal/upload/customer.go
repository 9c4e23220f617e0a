package upload

import (
	"fmt"
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/keypath"
)

// CheckCustomer refuses the key path of a customer that the configuration does not allow.
func (u *Uploader) CheckCustomer(keyPath string) error {
	if u.AllowedCustomers == nil {
		return nil
	}
	parsed, err := keypath.Parse(keyPath)
	if err != nil {
		return fmt.Errorf("%w, so its customer cannot be compared with `allowed_customer_ids`", err)
	}
	if !slices.Contains(u.AllowedCustomers, parsed.CustomerID) {
		return fmt.Errorf("the key path %s belongs to customer %q, but `allowed_customer_ids` allows only %q. "+
			"Check that the identity token is that of the right account", keyPath, parsed.CustomerID, u.AllowedCustomers)
	}
	return nil
}
