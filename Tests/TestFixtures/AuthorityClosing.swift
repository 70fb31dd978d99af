// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import FarewellSessions

/// Ends sessions before an erasure, as the server does.
package struct AuthorityClosing: SubjectClosing {
    private let authority: SessionAuthority

    package init(_ authority: SessionAuthority) { self.authority = authority }

    package func close(_ subjects: [String]) async throws { try await authority.close(subjects) }
}
