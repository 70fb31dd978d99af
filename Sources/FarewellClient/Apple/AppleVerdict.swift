// SPDX-License-Identifier: Apache-2.0

/// What follows from the signs seen (SE-7). Simulators and early systems have said `revoked` when it was not so: one
/// sign signs out, two that agree clear what is kept on the device.
public enum AppleVerdict: Sendable, Hashable, CaseIterable {
    case stay
    /// The session ends; what the person keeps on this device stays for their return.
    case signOut
    /// The session ends and the device is cleared as at any sign-out.
    case signOutAndWipe

    /// What follows from these signs.
    public static func of(_ signals: Set<AppleSignal>) -> AppleVerdict {
        switch signals.count {
        case 0: .stay
        case 1: .signOut
        default: .signOutAndWipe
        }
    }
}
