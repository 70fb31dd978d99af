// SPDX-License-Identifier: Apache-2.0

/// A backend that lists a user's sessions and ends each of them (SE-8).
public protocol SessionListing: SessionProvider {
    /// The user's living sessions, newest first.
    func sessions(of session: DeviceSession) async throws(ProviderFailure) -> [ListedSession]

    /// Ends one of the user's sessions. One that has ended already is fine.
    func end(_ id: String, of session: DeviceSession) async throws(ProviderFailure)
}
