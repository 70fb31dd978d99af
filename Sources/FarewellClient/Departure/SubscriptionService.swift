// SPDX-License-Identifier: Apache-2.0

/// A service that sells subscriptions and has its own identity of the user, such as RevenueCat: logged out when the
/// account is deleted, as far as possible.
public protocol SubscriptionService: Sendable {
    /// Forgets the user, and ends streams of their subscription's status.
    func logOut() async throws
}
