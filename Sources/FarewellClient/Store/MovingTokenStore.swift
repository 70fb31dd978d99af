// SPDX-License-Identifier: Apache-2.0

/// A store whose record may also be at an earlier place, from which a write moves it. A write succeeds even if the
/// earlier place refuses the removal; a departure then tries the removal again.
protocol MovingTokenStore: TokenStore {
    /// Removes what is left at earlier places.
    func removeEarlier() throws
}
