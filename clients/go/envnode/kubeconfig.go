package envnode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

type fields = map[string]any

// writeKubeconfig writes the account of a client as a file that only this user may read.
func writeKubeconfig(cfg *rest.Config) (string, error) {
	text, err := kubeconfigOf(cfg)
	if err != nil {
		return "", err
	}
	// Mode 0600.
	file, err := os.CreateTemp("", "mockri-*.kubeconfig")
	if err != nil {
		return "", err
	}
	if _, err = file.Write(text); err == nil {
		err = file.Close()
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return file.Name(), err
}

func kubeconfigOf(cfg *rest.Config) ([]byte, error) {
	if cfg == nil {
		return nil, fmt.Errorf("the *rest.Config is nil: has the environment started?")
	}
	if cfg.AuthProvider != nil || cfg.ExecProvider != nil || cfg.Transport != nil || cfg.Impersonate.UserName != "" {
		return nil, fmt.Errorf("the *rest.Config must have a certificate, a token or a password; " +
			"a plugin, a transport and impersonation can't be passed to another process")
	}
	server, _, err := rest.DefaultServerURL(cfg.Host, cfg.APIPath, schema.GroupVersion{}, rest.IsConfigTransportTLS(*cfg))
	if err != nil {
		return nil, fmt.Errorf("the *rest.Config's Host: %w", err)
	}
	tls := cfg.TLSClientConfig
	cluster := present(fields{
		"server": server.String(), "certificate-authority-data": tls.CAData, "certificate-authority": absolute(tls.CAFile),
		"insecure-skip-tls-verify": tls.Insecure, "tls-server-name": tls.ServerName,
	})
	user := present(fields{
		"client-certificate-data": tls.CertData, "client-certificate": absolute(tls.CertFile),
		"client-key-data": tls.KeyData, "client-key": absolute(tls.KeyFile),
		"token": cfg.BearerToken, "tokenFile": absolute(cfg.BearerTokenFile),
		"username": cfg.Username, "password": cfg.Password,
	})
	// JSON is YAML.
	return json.Marshal(fields{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []fields{{"name": "test", "cluster": cluster}},
		"users":    []fields{{"name": "test", "user": user}},
		"contexts": []fields{{"name": "test", "context": fields{"cluster": "test", "user": "test"}}},
	})
}

// present leaves out what has no value.
func present(all fields) fields {
	for name, value := range all {
		switch value := value.(type) {
		case string:
			if value == "" {
				delete(all, name)
			}
		case []byte:
			if len(value) == 0 {
				delete(all, name)
			}
		}
	}
	return all
}

// absolute is the path as the program finds it from its own directory.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
