// Package api sends requests to the control API of Mockri.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// MostReply is how many bytes a reply may have.
const MostReply = 64 * 1024 * 1024

// Send sends body as JSON, or nothing if it is nil, and reads the reply into reply if it is not nil. An error has the detail of
// the problem that the API answers with.
func Send(ctx context.Context, client *http.Client, method, url string, body, reply any) error {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, MostReply+1))
	if err != nil {
		return err
	}
	if len(text) > MostReply {
		return fmt.Errorf("the reply has more than %d bytes", MostReply)
	}
	if response.StatusCode >= 300 {
		var problem struct {
			Detail string `json:"detail"`
		}
		if json.Unmarshal(text, &problem) == nil && problem.Detail != "" {
			return fmt.Errorf("%s", problem.Detail)
		}
		return fmt.Errorf("%s: %.1000s", response.Status, text)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(text, reply)
}
