// SPDX-License-Identifier: Apache-2.0

/// The part of AWS that a region belongs to, with its own accounts, host names and ARNs.
///
/// "AWS partitions" (https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html);
/// the suffixes are those of botocore's `partitions.json`.
package struct AWSPartition: Sendable, Hashable {
    /// The name in ARNs, such as `aws`, `aws-cn`, `aws-us-gov`, `aws-eusc`.
    package let name: String
    /// The suffix of host names.
    package let suffix: String

    /// The prefixes of the regions' names. All other regions belong to the largest part, `aws`.
    private static let known: [(region: String, name: String, suffix: String)] = [
        ("cn-", "aws-cn", "amazonaws.com.cn"), ("us-gov-", "aws-us-gov", "amazonaws.com"),
        ("eusc-", "aws-eusc", "amazonaws.eu"), ("us-iso-", "aws-iso", "c2s.ic.gov"),
        ("us-isob-", "aws-iso-b", "sc2s.sgov.gov"), ("eu-isoe-", "aws-iso-e", "cloud.adc-e.uk"),
        ("us-isof-", "aws-iso-f", "csp.hci.ic.gov"),
    ]

    package init(region: String) {
        let found = Self.known.first { region.hasBytePrefix($0.region) }
        name = found?.name ?? "aws"
        suffix = found?.suffix ?? "amazonaws.com"
    }

    /// The suffixes of host names with IPv4 and IPv6 addresses ("dual stack"), also from `partitions.json`.
    private static let dual = [
        "api.aws", "api.amazonwebservices.com.cn", "api.amazonwebservices.eu", "api.aws.ic.gov", "api.aws.scloud",
        "api.cloud-aws.adc-e.uk", "api.aws.hci.ic.gov",
    ]

    /// Whether a host is one of Amazon's own.
    package static func isHost(_ name: String) -> Bool {
        (["amazonaws.com"] + known.map(\.suffix) + dual).contains { name.hasByteSuffix(".\($0)") }
    }
}
