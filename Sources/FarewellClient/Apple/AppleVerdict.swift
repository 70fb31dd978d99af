// SPDX-License-Identifier: Apache-2.0

/// The consequence of the signs seen (SE-7). Simulators and early systems have reported `revoked` wrongly: one sign
/// signs out, two that agree clear the data on the device.
public enum AppleVerdict: Sendable, Hashable, CaseIterable {
    case stay
    /// The session ends; the user's data on this device stays for their return.
    case signOut
    /// The session ends and the device is cleared as at any sign-out.
    case signOutAndWipe

    /// The consequence of these signs.
    public static func of(_ signals: Set<AppleSignal>) -> AppleVerdict {
        switch signals.count {
        case 0: .stay
        case 1: .signOut
        default: .signOutAndWipe
        }
    }
}
