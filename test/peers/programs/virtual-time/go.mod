module mockri.dev/test/peers/virtual-time

go 1.22
