// SPDX-License-Identifier: Apache-2.0

/// A service that sells subscriptions and has its own identity of the user, such as RevenueCat. The device logs out of
/// it when the account is deleted; a failure does not stop the deletion.
public protocol SubscriptionService: Sendable {
    /// Forgets the user, and ends streams of their subscription's status.
    func logOut() async throws
}
