// SPDX-License-Identifier: Apache-2.0

extension PlanSnapshot {
    /// The recorded digests, one a line: the section's name, a colon, its digest.
    static let recorded: [String: String] = Dictionary(
        uniqueKeysWithValues: lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ": ")
            return (String(parts[0]), String(parts[1]))
        })

    private static let lines = """
        coachme sqlite file: 3751 fd2b35b5f7be12a9
        coachme sqlite findings: 0 cbf29ce484222325
        coachme sqlite drawing as text: 363 75caaa0e8f7b0c3c
        coachme sqlite drawing as dot: 1293 1280f65bbef87992
        coachme sqlite drawing as svg: 6179 5619ba4850250668
        coachme sqlite drawing as mermaid: 785 95798bdbf0d036cc
        coachme sqlite drawing as json: 2268 2df29be20c164470
        coachme sqlite statements: 41892 7f3725d89379a6bb
        coachme sqlite draft: 3676 b0e29f5cb0a25a88
        muse sqlite file: 3806 aeaa43c5bc43ec18
        muse sqlite findings: 748 712b6657b62f0610
        muse sqlite drawing as text: 836 c5ae2f794976783d
        muse sqlite drawing as dot: 2501 97279634e4458e2d
        muse sqlite drawing as svg: 9921 6cc08e81999f6fdc
        muse sqlite drawing as mermaid: 1297 45525c52fd3d35cb
        muse sqlite drawing as json: 4818 8c1c76de9b1f2dbb
        muse sqlite statements: 98855 a30d0352778d3f29
        muse sqlite draft: 6927 fa92d56d7b32908e
        chinook sqlite file: 3204 b052ebb70b51c78d
        chinook sqlite findings: 0 cbf29ce484222325
        chinook sqlite drawing as text: 422 9a294288fe896dbd
        chinook sqlite drawing as dot: 1243 90817461c7097f92
        chinook sqlite drawing as svg: 5422 91ec99d196b33eaa
        chinook sqlite drawing as mermaid: 879 edcdd7575c57c84
        chinook sqlite drawing as json: 2062 bcf7b4042b8a1dc3
        chinook sqlite statements: 17352 963a1bb3a0b5553d
        chinook sqlite draft: 3648 cfb3e6994edcbf8
        right sqlite file: 2268 c126e22922f81c77
        right sqlite findings: 942 b965972213ccedd6
        right sqlite drawing as text: 325 6bc6134a84c455c5
        right sqlite drawing as dot: 932 efcbb4d4aca69522
        right sqlite drawing as svg: 5159 5b84320e6349caa
        right sqlite drawing as mermaid: 670 c45f1ee4a0e5b8d3
        right sqlite drawing as json: 1657 f46a064813b8be7b
        right sqlite statements: 82158 a7ca36b0eb3da9d2
        wrong sqlite file: 2280 ab1457a1e46f9722
        wrong sqlite findings: 4774 f169ba8996dd37e8
        wrong sqlite drawing as text: 303 10cc6eda2ae62233
        wrong sqlite drawing as dot: 886 64bf330cd09274
        wrong sqlite drawing as svg: 4960 bf031689322fedb9
        wrong sqlite drawing as mermaid: 662 1be301b3a2cad680
        wrong sqlite drawing as json: 1491 6d148ec21347e54b
        wrong sqlite statements: 118 facbe38553d1d36a
        coachme postgresql file: 3891 de923dfc6274c5d0
        coachme postgresql findings: 0 cbf29ce484222325
        coachme postgresql drawing as text: 405 30d605c0e85cdd33
        coachme postgresql drawing as dot: 1475 de6e3564c51ecf80
        coachme postgresql drawing as svg: 6417 beeacededc865eb2
        coachme postgresql drawing as mermaid: 827 d853ecfcd155845f
        coachme postgresql drawing as json: 2408 11ea03a10c8fa1ff
        coachme postgresql statements: 42275 906f5f703d8fad1b
        coachme postgresql draft: 3809 2ff95f79ec259e87
        muse postgresql file: 4009 16030643c0973b50
        muse postgresql findings: 769 84e3f24ac169faef
        muse postgresql drawing as text: 913 3239eb51b2c23481
        muse postgresql drawing as dot: 2900 9b733492250423a
        muse postgresql drawing as svg: 10411 ba7ee7212234245a
        muse postgresql drawing as mermaid: 1374 1bf32d6e97ee9007
        muse postgresql drawing as json: 5140 70bc7833081bd48e
        muse postgresql statements: 105141 24c41444e0b0551c
        muse postgresql draft: 7256 50da10aa6eecaaec
        chinook postgresql file: 3382 a1810590132b2271
        chinook postgresql findings: 0 cbf29ce484222325
        chinook postgresql drawing as text: 504 315c32153b7d187f
        chinook postgresql drawing as dot: 1434 fb4d5fff01f8e029
        chinook postgresql drawing as svg: 5644 8ee83cba77b4a456
        chinook postgresql drawing as mermaid: 961 2ccbb66150111332
        chinook postgresql drawing as json: 2173 cf8326ac0b6581a2
        chinook postgresql statements: 20894 b37b91b1e4d0022d
        chinook postgresql draft: 3841 b53b42f2e4e9911b
        right postgresql file: 2359 ef2e9609cb6120ce
        right postgresql findings: 1001 6efd8c13752aa619
        right postgresql drawing as text: 367 3898976dc71efa2d
        right postgresql drawing as dot: 1086 400f3ec993f7531c
        right postgresql drawing as svg: 5362 a04b4dc9fc877ba5
        right postgresql drawing as mermaid: 712 d3af24d89507bdb3
        right postgresql drawing as json: 1769 e37ddf8205b949fb
        right postgresql statements: 85238 ad3d3c0186791b7f
        wrong postgresql file: 2364 258f4c058eeae6a6
        wrong postgresql findings: 5355 a21b7aaa04a09b47
        wrong postgresql drawing as text: 345 1698f7c02bfec25
        wrong postgresql drawing as dot: 1026 190f8451d1d7dadc
        wrong postgresql drawing as svg: 5142 bef33a36b10a4f5
        wrong postgresql drawing as mermaid: 704 3ff48e7171f8dc90
        wrong postgresql drawing as json: 1589 c3cdff6d5b4a2e71
        wrong postgresql statements: 125 87c7832b640f93cd
        unreadable JSON schema: 21623 125a14ab9b897a2f
        unreadable problems: 2246 bb5f102e79d4d83e
        """
}
