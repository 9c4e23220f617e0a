package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// secureAddress is where servers listen with TLS, at the ports that they have at 127.0.0.1. The
// addresses that contenders use say 127.0.0.1.
const secureAddress = "127.0.0.2"

// certificate is one of 127.0.0.1, signed by itself.
type certificate struct{ tls.Certificate }

func newCertificate() certificate {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return certificate{server.TLS.Certificates[0]}
}

func (c certificate) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c.Certificate}, MinVersion: tls.VersionTLS12}
}

func (c certificate) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Leaf.Raw}))
}

// files writes the certificate and its key.
func (c certificate) files(dir string) (cert, key string, err error) {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return "", "", err
	}
	cert, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	if err := os.WriteFile(cert, []byte(c.pem()), 0o600); err != nil {
		return "", "", err
	}
	return cert, key, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}

// secureListener listens with TLS at the port of an address.
func secureListener(ctx context.Context, address string, c certificate) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", secured(address))
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l, c.config()), nil
}

func secured(address string) string {
	return strings.Replace(address, "127.0.0.1:", secureAddress+":", 1)
}

// namedStorage hands out addresses with the name of this machine, for which contenders are told
// addresses.
type namedStorage struct{ simulator.Storage }

func (s namedStorage) Presign(a simulator.Address) (string, error) {
	address, err := s.Storage.Presign(a)
	return strings.Replace(address, "127.0.0.1", "localhost", 1), err
}

// secureStorage hands out addresses that contenders use with TLS.
type secureStorage struct{ simulator.Storage }

func (s secureStorage) Presign(a simulator.Address) (string, error) {
	address, err := s.Storage.Presign(a)
	return strings.Replace(address, "http:", "https:", 1), err
}
