// SPDX-License-Identifier: Apache-2.0

import FarewellServer
import Testing

@Suite("The address of a listening server")
struct ServerSettingsTests {
    @Test("the default settings offer nothing to the outside")
    func loopback() {
        #expect(ServerSettings().host == "127.0.0.1")
    }
}
