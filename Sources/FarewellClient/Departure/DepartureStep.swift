// SPDX-License-Identifier: Apache-2.0

/// A state that has just been recorded; for tests that end the process there.
package enum DepartureStep: Sendable, Hashable {
    case signOut(SignOutState)
    case deletion(DeletionState)
}
