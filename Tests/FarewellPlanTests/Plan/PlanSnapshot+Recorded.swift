// SPDX-License-Identifier: Apache-2.0

extension PlanSnapshot {
    /// What was recorded for each section, one a line: its name, a colon, its digest.
    static let recorded: [String: String] = Dictionary(
        uniqueKeysWithValues: lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ": ")
            return (String(parts[0]), String(parts[1]))
        })

    private static let lines = """
        coachme sqlite file: 2463 4b57900c844e3892
        coachme sqlite findings: 0 cbf29ce484222325
        coachme sqlite drawing as text: 343 729bf3ee36381878
        coachme sqlite drawing as dot: 1229 2b3e6aeca0dd0192
        coachme sqlite drawing as svg: 5968 1d477587c3c6c7af
        coachme sqlite drawing as mermaid: 759 2e7fd5d1f6456087
        coachme sqlite drawing as json: 2122 5da968e42e0b817e
        coachme sqlite statements: 23436 b25f8309f0dc55db
        coachme sqlite draft: 2532 8b6d9e19605878f3
        muse sqlite file: 3608 724bb88742c3a6e9
        muse sqlite findings: 0 cbf29ce484222325
        muse sqlite drawing as text: 836 c5ae2f794976783d
        muse sqlite drawing as dot: 2501 97279634e4458e2d
        muse sqlite drawing as svg: 9927 5dadc140acfaaed4
        muse sqlite drawing as mermaid: 1297 45525c52fd3d35cb
        muse sqlite drawing as json: 4818 8c1c76de9b1f2dbb
        muse sqlite statements: 62448 57191a4fa27eaeef
        muse sqlite draft: 3692 cade28364d89ea0c
        chinook sqlite file: 3166 eda97ab9edcad13a
        chinook sqlite findings: 0 cbf29ce484222325
        chinook sqlite drawing as text: 422 9a294288fe896dbd
        chinook sqlite drawing as dot: 1243 90817461c7097f92
        chinook sqlite drawing as svg: 5428 7be63d2455ff3fd2
        chinook sqlite drawing as mermaid: 879 edcdd7575c57c84
        chinook sqlite drawing as json: 2062 bcf7b4042b8a1dc3
        chinook sqlite statements: 11548 b4e6394f1373a785
        chinook sqlite draft: 2462 31f6fb30caf50450
        right sqlite file: 2254 7bf16d5e38704a82
        right sqlite findings: 997 ac7b58aba3e84e3e
        right sqlite drawing as text: 325 6bc6134a84c455c5
        right sqlite drawing as dot: 932 efcbb4d4aca69522
        right sqlite drawing as svg: 5165 f2d023aa6162dee4
        right sqlite drawing as mermaid: 670 c45f1ee4a0e5b8d3
        right sqlite drawing as json: 1657 f46a064813b8be7b
        right sqlite statements: 53559 80aadb44e5f29c4e
        wrong sqlite file: 2266 1acbcbc5c10e064f
        wrong sqlite findings: 4671 7cd6440173f5260f
        wrong sqlite drawing as text: 303 10cc6eda2ae62233
        wrong sqlite drawing as dot: 886 64bf330cd09274
        wrong sqlite drawing as svg: 4966 f11b9f3d93d4e137
        wrong sqlite drawing as mermaid: 662 1be301b3a2cad680
        wrong sqlite drawing as json: 1491 6d148ec21347e54b
        wrong sqlite statements: 113 5ecfc806e101a2d5
        coachme postgresql file: 2554 c9873737b69f7b3e
        coachme postgresql findings: 0 cbf29ce484222325
        coachme postgresql drawing as text: 385 2759523f5767792f
        coachme postgresql drawing as dot: 1397 f935d8228bfd27d4
        coachme postgresql drawing as svg: 6185 1b5e35b9d06e7d92
        coachme postgresql drawing as mermaid: 801 264341399008ec5c
        coachme postgresql drawing as json: 2248 d02a35dae6e151d
        coachme postgresql statements: 23014 6856de9dbcf16d7b
        coachme postgresql draft: 2623 7ff34fe1d9259922
        muse postgresql file: 3811 65c8481196a3fe3d
        muse postgresql findings: 0 cbf29ce484222325
        muse postgresql drawing as text: 913 3239eb51b2c23481
        muse postgresql drawing as dot: 2900 9b733492250423a
        muse postgresql drawing as svg: 10417 75bde8700588b9de
        muse postgresql drawing as mermaid: 1374 1bf32d6e97ee9007
        muse postgresql drawing as json: 5140 70bc7833081bd48e
        muse postgresql statements: 72914 4ed94db37e192426
        muse postgresql draft: 3895 4e31252a9225d034
        chinook postgresql file: 3344 98dc1784cc390fb0
        chinook postgresql findings: 0 cbf29ce484222325
        chinook postgresql drawing as text: 504 315c32153b7d187f
        chinook postgresql drawing as dot: 1434 fb4d5fff01f8e029
        chinook postgresql drawing as svg: 5650 89a61f7394e7b7d6
        chinook postgresql drawing as mermaid: 961 2ccbb66150111332
        chinook postgresql drawing as json: 2173 cf8326ac0b6581a2
        chinook postgresql statements: 14348 4e1a341621d9cdfa
        chinook postgresql draft: 2624 5c40852a00fb942c
        right postgresql file: 2345 235169b4e5739ad3
        right postgresql findings: 1056 b0250997d6bbe23b
        right postgresql drawing as text: 367 3898976dc71efa2d
        right postgresql drawing as dot: 1086 400f3ec993f7531c
        right postgresql drawing as svg: 5368 e2c850ab47c3fc61
        right postgresql drawing as mermaid: 712 d3af24d89507bdb3
        right postgresql drawing as json: 1769 e37ddf8205b949fb
        right postgresql statements: 60148 fb63587d9f8d7f53
        wrong postgresql file: 2350 bdc688af6a970b67
        wrong postgresql findings: 5257 ee688c4adc4e4175
        wrong postgresql drawing as text: 345 1698f7c02bfec25
        wrong postgresql drawing as dot: 1026 190f8451d1d7dadc
        wrong postgresql drawing as svg: 5148 9b21b3dc00e96e85
        wrong postgresql drawing as mermaid: 704 3ff48e7171f8dc90
        wrong postgresql drawing as json: 1589 c3cdff6d5b4a2e71
        wrong postgresql statements: 120 f787fa60ee320e78
        unreadable JSON schema: 8713 27b96f1d74691219
        unreadable problems: 2262 3a139a3f4275cd4e
        """
}
