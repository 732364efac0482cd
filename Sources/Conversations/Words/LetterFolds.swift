// SPDX-License-Identifier: GPL-3.0-or-later

/// Folds letters for the search: removes case, accents and character width, so that `lodz` finds
/// `Łódź`.
///
/// It folds as completion does (rule 2.5), so that search finds whatever completes. An accented
/// letter's Unicode name is its base's name and `WITH …`; this also separates letters that
/// canonical decomposition keeps whole (ø, ł, đ). Then lower case is converted to upper case and
/// back. The result is written out as tables because it is needed for every letter of every
/// message, where the standard library's look-ups would take most of the time.
enum LetterFolds {
  /// - Returns: nil for a character outside the tables.
  static func meaning(of scalar: UInt32) -> CharacterClass? {
    for table in tables where scalar >= table.first {
      let index = Int(scalar - table.first)
      guard index < table.letters.count else { continue }
      switch table.letters[index] {
      case 0x20: return .separator
      case 0xDF: return .letter(0x73, 0x73)
      case let letter: return .letter(UInt32(letter), nil)
      }
    }
    return nil
  }

  /// Folds letters outside the tables: letters of other scripts with case, and variants that people
  /// who write Arabic and Persian regard as one letter.
  static func folded(_ scalar: Unicode.Scalar) -> UInt32 {
    switch scalar.value {
    case 0xB5: return 0x3BC
    case 0x622, 0x623, 0x625, 0x671: return 0x627
    case 0x624: return 0x648
    case 0x626, 0x649, 0x6CC: return 0x64A
    case 0x6A9: return 0x643
    default:
      // One letter becomes one letter; nothing outside the tables becomes two.
      let small = scalar.properties.lowercaseMapping.unicodeScalars
      guard small.count == 1, let letter = small.first, letter != scalar else {
        return scalar.value
      }
      // The Ångström sign is another number for a letter of the tables.
      if case .letter(let known, nil) = meaning(of: letter.value) { return known }
      return letter.value
    }
  }

  private static let tables: [(first: UInt32, letters: [UInt16])] = [
    (0xC0, letters(latin)), (0x370, letters(greekAndCyrillic)),
    (0x1E00, letters(moreLatinAndGreek)),
  ]

  private static func letters(_ text: String) -> [UInt16] {
    text.unicodeScalars.map { UInt16(truncatingIfNeeded: $0.value) }
  }

  /// U+00C0–024F, one letter for each; a blank is not a letter.
  private static let latin = """
    aaaaaaæceeeeiiiiðnooooo ouuuuyþßaaaaaaæceeeeiiiiðnooooo ouuuuyþy\
    aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiĳĳjjkkĸlllllll\
    lllnnnnnnnŋŋooooooœœrrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs\
    bbbbƅƅɔccddddƍǝəɛffgɣƕɩikklƛɯnnɵooƣƣppʀƨƨʃƪttttuuʊvyyzzʒƹƹʒƻƽƽʖƿ\
    ǀǁǂǃǳǳǳǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææggggkkooooʒʒjǳǳǳggƕƿnnaaææoo\
    aaaaeeeeiiiioooorrrruuuussttȝȝhhndȣȣzzaaeeooooooooyylntȷȸȹⱥcclⱦs\
    zɂɂbʉʌeejjqqrryy
    """

  /// U+0370–052F.
  private static let greekAndCyrillic = """
    ͱͱͳͳʹ ͷͷ  ͺͻͼͽ ϳ      α εηι ο υωιαβγδεζηθικλμνξοπρ στυφχψωιυαεηι\
    υαβγδεζηθικλμνξοπρσστυφχψωιυουωϗβθυυυφπϗϙϙϛϛϝϝϟϟϡϡϣϣϥϥϧϧϩϩϫϫϭϭϯϯ\
    κρϲϳθε ϸϸϲϻϻϼͻͼͽееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчшщъыьэюя\
    абвгдежзииклмнопрстуфхцчшщъыьэюяееђгєѕііјљњћкиуџѡѡѣѣѥѥѧѧѩѩѫѫѭѭѯѯ\
    ѱѱѳѳѵѵѵѵѹѹѻѻѡѡѿѿҁҁ        ииҍҍррггггггжжззккккккҡҡннҥҥппҩҩссттүү\
    үүххҵҵччччһһҽҽҽҽӏжжккллннннӌӌммӏааааӕӕееәәәәжжззӡӡииииооөөөөээуу\
    ууууччггыыггххххԁԁԃԃԅԅԇԇԉԉԋԋԍԍԏԏԑԑллԕԕԗԗԙԙԛԛԝԝԟԟллннппһһннԫԫԭԭлл
    """

  /// U+1E00–1FFF.
  private static let moreLatinAndGreek = """
    aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
    mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
    wwwwwwwwwwxxxxyyzzzzzzhtwyasssßẟaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
    eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỻỽỽyy\
    ααααααααααααααααεεεεεε  εεεεεε  ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιι\
    οοοοοο  οοοοοο  υυυυυυυυ υ υ υ υωωωωωωωωωωωωωωωωααεεηηιιοουυωω  \
    ααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωωααααα ααααααα ι \
      ηηη ηηεεηηη   ιιιι  ιιιιιι    υυυυρρυυυυυυρ     ωωω ωωοοωωω
    """
}
