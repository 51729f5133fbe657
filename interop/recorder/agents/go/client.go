// An agent without an SDK, with Go's own HTTP client: plain and streamed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

const address = "https://api.openai.com/v1/chat/completions"

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type question struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream,omitempty"`
}

type answer struct {
	Choices []struct{ Message, Delta message }
	Error   struct{ Message string }
}

func main() {
	response := ask(false)
	defer response.Body.Close()
	var whole answer
	check(json.NewDecoder(response.Body).Decode(&whole))
	if len(whole.Choices) == 0 {
		fmt.Println("error:", whole.Error.Message)
		return
	}
	fmt.Println(whole.Choices[0].Message.Content)

	streamed := ask(true)
	defer streamed.Body.Close()
	lines := bufio.NewScanner(streamed.Body)
	for lines.Scan() {
		var part answer
		data := strings.TrimPrefix(lines.Text(), "data: ")
		if json.Unmarshal([]byte(data), &part) == nil && len(part.Choices) > 0 {
			fmt.Print(part.Choices[0].Delta.Content)
		}
	}
	fmt.Println()
}

func ask(stream bool) *http.Response {
	asked := "What is the weather in Paris?"
	if other := os.Getenv("QUESTION"); other != "" {
		asked = other
	}
	body, err := json.Marshal(question{"gpt-4o", []message{{"user", asked}}, stream})
	check(err)
	request, err := http.NewRequest("POST", address, bytes.NewReader(body))
	check(err)
	request.Header.Set("authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(err)
	return response
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
