// SPDX-License-Identifier: Apache-2.0

/// RSA moduli that can be factored because of how their primes were made (ROCA, CVE-2017-15361; Nemec, Sys, Svenda,
/// Klinec, Matyas: "The Return of Coppersmith's Attack", CCS 2017).
///
/// The faulty generator makes primes of the form k·M + (65537^a mod M), where M is the product of the first n primes.
/// The modulus is then a power of 65537 modulo each of these primes. Keys of 1,984 bits or more have n ≥ 126, the
/// primes up to 701. Another modulus passes for such a one with a probability of about 2^-167.
package enum WeakModulus {
    /// For each odd prime up to 701, the residues that are powers of 65537.
    private static let fingerprints: [(prime: UInt32, powers: Set<UInt32>)] = oddPrimes(upTo: 701).map { prime in
        var powers: Set<UInt32> = []
        var power: UInt32 = 1
        while powers.insert(power).inserted { power = power * 65_537 % prime }
        return (prime, powers)
    }

    private static func oddPrimes(upTo limit: UInt32) -> [UInt32] {
        stride(from: 3, through: limit, by: 2).filter { number in
            stride(from: 3, to: number, by: 2).allSatisfy { number % $0 != 0 }
        }
    }

    /// Whether a modulus, big-endian, has the fingerprint of the faulty generator.
    package static func isOne(_ modulus: some Collection<UInt8>) -> Bool {
        guard !modulus.isEmpty else { return false }
        return fingerprints.allSatisfy { fingerprint in
            let rest = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % fingerprint.prime }
            return fingerprint.powers.contains(rest)
        }
    }
}
