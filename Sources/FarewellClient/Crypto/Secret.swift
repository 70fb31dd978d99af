// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Secret bytes: wiped from memory when the last reference ends, compared in constant time.
final class Secret: Sendable, Equatable {
    private let bytes: Guarded<[UInt8]>
    private let count: Int

    /// Copies the bytes, so that the wiped memory is not shared.
    convenience init(data: some ContiguousBytes) {
        let count = data.withUnsafeBytes { $0.count }
        self.init(count: count) { place in data.withUnsafeBytes { place.copyMemory(from: $0) } }
    }

    /// - Parameter fill: writes every one of the bytes.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        self.count = count
        bytes = Guarded(
            try [UInt8](unsafeUninitializedCapacity: count) { place, filled in
                try fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(place)[..<count]))
                filled = count
            })
    }

    var bitCount: Int { count * 8 }

    func withUnsafeBytes<Result>(_ use: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Nothing is locked while they are used, and they are not wiped before that ends.
        try withExtendedLifetime(self) { try bytes.withLock { $0 }.withUnsafeBytes(use) }
    }

    static func == (one: Secret, other: Secret) -> Bool {
        one.withUnsafeBytes { ones in other.withUnsafeBytes { others in ConstantTime.isEqual(ones, others) } }
    }

    deinit {
        bytes.withLock { bytes in
            bytes.withUnsafeMutableBytes { place in
                guard let base = place.baseAddress else { return }
                #if canImport(Darwin)
                _ = memset_s(base, place.count, 0, place.count)
                #else
                explicit_bzero(base, place.count)
                #endif
            }
        }
    }
}
