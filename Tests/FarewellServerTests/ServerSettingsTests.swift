// SPDX-License-Identifier: Apache-2.0

import FarewellServer
import Testing

@Suite("Where a server listens")
struct ServerSettingsTests {
    @Test("nothing is offered outside by accident")
    func loopback() {
        #expect(ServerSettings().host == "127.0.0.1")
    }
}
