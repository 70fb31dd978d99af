// SPDX-License-Identifier: Apache-2.0

/// A service that sells subscriptions and knows the person by itself, such as RevenueCat: logged out of when the
/// account is deleted, as well as it can be.
public protocol SubscriptionService: Sendable {
    /// Forgets the person, and ends streams of their subscription's status.
    func logOut() async throws
}
