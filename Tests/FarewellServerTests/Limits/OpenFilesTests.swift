// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Testing

@Suite("The number of callers that the file limit allows")
struct OpenFilesTests {
    @Test(
        "some file descriptors stay reserved for purposes other than callers",
        arguments: [(16_000, 20_000, 16_000), (16_000, 1_024, 768), (16_000, 100, 50), (10, 1_024, 10), (16_000, 1, 1)])
    func room(_ connections: Int, _ files: Int, _ room: Int) {
        #expect(OpenFiles.room(for: connections, files: files) == room)
    }
}
