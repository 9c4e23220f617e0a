package transfer_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
)

func TestPartSize(t *testing.T) {
	t.Parallel()
	const mib = int64(1) << 20
	size := rapid.OneOf(
		rapid.Int64Range(1, 5<<40),
		rapid.Int64Range(1024*mib-2, 1024*mib+2),
		rapid.Int64Range(160_000*mib-2*mib, 160_000*mib+2*mib), // where 10,000 parts of 16 MiB end
		rapid.Int64Range(5<<40-2*mib, 5<<40),
	)
	rapid.Check(t, func(t *rapid.T) {
		size := size.Draw(t, "size")
		part := transfer.PartSize(size)
		count := transfer.PartCount(size, part)
		if part < transfer.MinPartSize || part > transfer.MaxPartSize {
			t.Fatalf("part size %d", part)
		}
		if part%mib != 0 {
			t.Fatalf("part size %d is no whole MiB", part)
		}
		if count < 1 || count > transfer.MaxParts {
			t.Fatalf("%d parts", count)
		}
		switch {
		case size <= 1<<30 && part != 5*mib, size > 1<<30 && part < 16*mib:
			t.Fatalf("part size %d", part)
		case part > 16*mib:
			if n := transfer.PartCount(size, part-mib); n <= transfer.MaxParts {
				t.Fatalf("part size %d, but %d would do: %d parts", part, part-mib, n)
			}
		}
	})
}

func TestPartCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5<<40).Draw(t, "size")
		part := rapid.Int64Range(1, 5<<30).Draw(t, "part")
		n := int64(transfer.PartCount(size, part))
		if n == math.MaxInt && (size-1)/part >= n { // where an int has 32 bits
			return
		}
		if last := size - (n-1)*part; last < 1 || last > part {
			t.Fatalf("%d bytes in %d parts of %d leave %d for the last", size, n, part, last)
		}
	})
	for _, c := range []struct{ size, part int64 }{{0, 5}, {-1, 5}, {5, 0}, {5, -1}} {
		if n := transfer.PartCount(c.size, c.part); n != 0 {
			t.Errorf("PartCount(%d, %d) = %d", c.size, c.part, n)
		}
	}
}
