// SPDX-License-Identifier: Apache-2.0

package import FarewellSQL
package import Foundation

/// Ends the access of subjects, and removes their exports before anything of them is erased.
package struct ExportClosing: SubjectClosing {
    private let exports: ExportRequests
    private let next: any SubjectClosing

    package init(_ exports: ExportRequests, then next: any SubjectClosing) {
        self.exports = exports
        self.next = next
    }

    package func close(_ subjects: [String]) async throws {
        // Sessions end first, so that no caller requests another export.
        try await next.close(subjects)
        await exports.remove(of: subjects)
    }

    package func closing(_ subjects: [String]) async -> [SQLStatement]? {
        await exports.hasAny(of: subjects) ? nil : await next.closing(subjects)
    }

    package func closed(_ subjects: [String]) async {
        await next.closed(subjects)
        await exports.remove(of: subjects)
    }

    package func remove(_ subjects: [String]) async -> Bool { await next.remove(subjects) }

    package func hasReturned(_ subject: String, since end: Date) async throws -> Bool {
        try await next.hasReturned(subject, since: end)
    }
}
