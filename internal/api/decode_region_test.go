package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
)

func TestDecodeRegions(t *testing.T) {
	t.Parallel()
	lists := []string{`%s`, `{"data":%s,"message":"ok"}`, `{"regions":%s}`, `{"data":{"regions":%s}}`, `{"Data":{"Regions":%s}}`, `{"result":%s,"message":"ok"}`}
	for name, test := range map[string]struct {
		entries string
		want    []api.Region
	}{
		"strings":             {`["eu-1", "us\u002d1"]`, []api.Region{{Name: "eu-1", JSON: `"eu-1"`}, {Name: "us-1", JSON: `"us\u002d1"`}}},
		"name":                {`[{ "name": "eu-1", "id": "0b5e" }]`, []api.Region{{Name: "eu-1", JSON: `{"name":"eu-1","id":"0b5e"}`}}},
		"region":              {`[{"id":7,"region":"eu-1","name":"Europe"}]`, []api.Region{{Name: "eu-1", JSON: `{"id":7,"region":"eu-1","name":"Europe"}`}}},
		"a name for people":   {`[{"id":"eu-1","name":"Europe (Paris)"}]`, []api.Region{{Name: "eu-1", JSON: `{"id":"eu-1","name":"Europe (Paris)"}`}}},
		"only one for people": {`[{"name":"Europe (Paris)"}]`, []api.Region{{Name: "Europe (Paris)", JSON: `{"name":"Europe (Paris)"}`}}},
		"code":                {`[{"code":"eu-1","active":true}]`, []api.Region{{Name: "eu-1", JSON: `{"code":"eu-1","active":true}`}}},
		"value":               {`[{"label":"Europe","value":"eu-1"}]`, []api.Region{{Name: "eu-1", JSON: `{"label":"Europe","value":"eu-1"}`}}},
		"region_name":         {`[{"regionName":"eu-1","flag":"x"}]`, []api.Region{{Name: "eu-1", JSON: `{"regionName":"eu-1","flag":"x"}`}}},
		"odd key":             {`[{"rgn":"eu-1","rank":1}]`, []api.Region{{Name: "eu-1", JSON: `{"rgn":"eu-1","rank":1}`}}},
		"nested":              {`[{"region":{"name":"eu-1"}}]`, []api.Region{{Name: "eu-1", JSON: `{"region":{"name":"eu-1"}}`}}},
		"nested, and more":    {`[{"region":{"name":"eu-1","id":7},"availability":"available"}]`, []api.Region{{Name: "eu-1", JSON: `{"region":{"name":"eu-1","id":7},"availability":"available"}`}}},
		"nested, odd keys":    {`[{"rgn":{"nm":"eu-1"},"state":"ACTIVE"}]`, []api.Region{{Name: "eu-1", JSON: `{"rgn":{"nm":"eu-1"},"state":"ACTIVE"}`}}},
		"number":              {`[{"id":12}]`, []api.Region{{Name: "12", JSON: `{"id":12}`}}},
		"mixed":               {`["eu-1",{"name":"us-1"}]`, []api.Region{{Name: "eu-1", JSON: `"eu-1"`}, {Name: "us-1", JSON: `{"name":"us-1"}`}}},
		"order of the keys":   {`[{"b":1,"name":"eu-1","a":{ "c" : [ ] }}]`, []api.Region{{Name: "eu-1", JSON: `{"b":1,"name":"eu-1","a":{"c":[]}}`}}},
	} {
		for _, list := range lists {
			got, err := once(t, 200, fmt.Sprintf(list, test.entries)).Regions(t.Context())
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%s in %s: %v %s", name, list, err, diff)
			}
		}
	}
	for _, body := range []string{`[]`, `{"data":[]}`, `{"data":null,"message":"ok"}`, `{"data":{"regions":null}}`, `{"regions":[]}`} {
		if got, err := once(t, 200, body).Regions(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("%s: got %v, %v", body, got, err)
		}
	}
	for body, want := range map[string]string{
		`{}`:                            `no list of regions was found in an empty object`,
		`{"message":"hidden"}`:          `no list of regions was found in an object with "message"`,
		`{"data":"hidden"}`:             `no list of regions was found in an object with "data"; data is a string`,
		`{"data":[1]}`:                  `entry 1 of the regions carries no name: it is a number`,
		`{"data":["a",null]}`:           `entry 2 of the regions carries no name: it is null`,
		`{"data":[" "]}`:                `entry 1 of the regions carries no name: it is a string`,
		`{"data":[{}]}`:                 `entry 1 of the regions carries no name: it is an empty object`,
		`{"data":[{"x":"hi","y":"z"}]}`: `entry 1 of the regions carries no name: it is an object with "x", "y"`,
	} {
		_, err := once(t, 200, body).Regions(t.Context())
		if err == nil || !strings.HasSuffix(err.Error(), "the response cannot be read: "+want) {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
	}
}

// TestUnavailableRegions reads entries that say that no session can be created in the region.
func TestUnavailableRegions(t *testing.T) {
	t.Parallel()
	for entry, unavailable := range map[string]bool{
		`"eu-1"`:                                                               false,
		`{"name":"eu-1"}`:                                                      false,
		`{"name":"eu-1","available":true}`:                                     false,
		`{"name":"eu-1","available":null}`:                                     false,
		`{"name":"eu-1","available":"yes"}`:                                    false,
		`{"name":"eu-1","status":"ACTIVE"}`:                                    false,
		`{"name":"eu-1","status":0}`:                                           false,
		`{"name":"eu-1","state":"Bavaria"}`:                                    false,
		`{"name":"eu-1","capacity":{"available":0}}`:                           false,
		`{"name":"eu-1","features":{"recording":{"enabled":false}}}`:           false,
		`{"region":{"name":"eu-1"},"availability":{"status":"available"}}`:     false,
		`{"name":"eu-1","available":false}`:                                    true,
		`{"name":"eu-1","isAvailable":"False"}`:                                true,
		`{"name":"eu-1","active":0}`:                                           true,
		`{"name":"eu-1","enabled":false,"status":"OK"}`:                        true,
		`{"name":"eu-1","status":"DISABLED"}`:                                  true,
		`{"name":"eu-1","State":"not_available"}`:                              true,
		`{"region":{"name":"eu-1"},"availability":"unavailable"}`:              true,
		`{"region":{"name":"eu-1"},"availability":{"status":"NOT AVAILABLE"}}`: true,
		`{"region":{"name":"eu-1","enabled":false}}`:                           true,
	} {
		got, err := once(t, 200, `{"data":[`+entry+`]}`).Regions(t.Context())
		if want := []api.Region{{Name: "eu-1", JSON: entry, Unavailable: unavailable}}; err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %+v, %v", entry, got, err)
		}
	}
}
