module mockri.dev/clients/go

go 1.24
