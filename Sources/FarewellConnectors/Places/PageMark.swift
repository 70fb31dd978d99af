// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The service's own mark of the next page, which a run stores between two calls.
enum PageMark {
    /// Reads the page behind a mark. After a long pause the service may no longer take the mark, and would refuse it
    /// each time that the erasure is released; so the erasure then begins anew, and reads from the beginning.
    ///
    /// - Parameter mark: `nil` at the first page, whose refusal has another cause.
    static func page<Mark, Page>(
        behind mark: Mark?, _ read: (_ mark: Mark?) async throws -> Page
    ) async throws -> Page {
        do {
            return try await read(mark)
        } catch let fault as ConnectorFault where fault.isRefusal && mark != nil {
            throw fault.anew
        }
    }

    /// Pages that are read at most until one has entries.
    private static let most = 5

    /// The first page that has entries: a service may answer with an empty page although others follow.
    ///
    /// - Returns: Its entries, and whether there are no others.
    static func filled<Entry>(
        _ read: (_ mark: String?) async throws -> (entries: [Entry], next: String?)
    ) async throws -> (entries: [Entry], isAll: Bool) {
        var mark: String?
        for _ in 1...most {
            let page = try await read(mark)
            guard page.entries.isEmpty, let next = page.next else { return (page.entries, page.next == nil) }
            mark = next
        }
        return ([], false)
    }
}
