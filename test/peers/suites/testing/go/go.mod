module mockri.dev/test/peers/testing

go 1.26.0

require (
	google.golang.org/grpc v1.80.0
	k8s.io/cri-api v0.36.0
)

require (
	golang.org/x/net v0.49.0 // indirect
	golang.org/x/sys v0.40.0 // indirect
	golang.org/x/text v0.33.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260128011058-8636f8732409 // indirect
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af // indirect
)

require mockri.dev/clients/go v0.0.0

replace mockri.dev/clients/go => ../../../../../clients/go
