package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// started is a provider from its start to the answer of GetProviderSchema.
type started struct {
	// Wall is the time from exec to the answer, CPU the processor time of the provider until then.
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"`
	// Memory is the largest resident size until then, Schema the size of the answer, in bytes.
	Memory int64 `json:"memory_bytes"`
	Schema int   `json:"schema_bytes"`
}

// startPlugin starts a provider as the CLIs do (encrypted, protocol 6 over gRPC), asks for its schema and stops it.
//
// The request has no fields and the answer is only measured, so an empty message stands for both: protobuf keeps what
// it does not know.
func startPlugin(ctx context.Context, program string) (s started, err error) {
	cmd := exec.CommandContext(ctx, program)
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{
			ProtocolVersion: 6, MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": connectionPlugin{}}},
		Cmd:              cmd,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       io.Discard, SyncStderr: io.Discard,
	})
	defer client.Kill()
	begin := time.Now()
	protocol, err := client.Client()
	if err != nil {
		return s, err
	}
	dispensed, err := protocol.Dispense("provider")
	if err != nil {
		return s, err
	}
	connection, ok := dispensed.(*grpc.ClientConn)
	if !ok {
		return s, errors.New("the plugin's connection is not one of gRPC")
	}
	var answer emptypb.Empty
	err = connection.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &emptypb.Empty{}, &answer, grpc.MaxCallRecvMsgSize(64<<20))
	s.Wall = time.Since(begin)
	pid := cmd.Process.Pid
	s.CPU, s.Memory = exactCPU(pid), peak(pid)
	s.Schema = len(answer.ProtoReflect().GetUnknown())
	if err == nil && s.Schema == 0 {
		err = errors.New("the provider's schema is empty")
	}
	return s, err
}

// connectionPlugin hands out the connection itself.
type connectionPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (connectionPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this is the client's side")
}

func (connectionPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}
