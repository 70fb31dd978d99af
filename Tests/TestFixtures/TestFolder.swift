// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where the tests' databases and state directories are.
package enum TestFolder {
    /// In memory where `Scripts/postgres run` has found room there, so that no commit waits for a disk; otherwise among the temporary
    /// files. What a test proves of a process that is killed is the same: the files of a killed process stay in either.
    package static let parent =
        ProcessInfo.processInfo.environment["FAREWELL_TEST_MEMORY"].map { URL(fileURLWithPath: $0) }
        ?? FileManager.default.temporaryDirectory
}
