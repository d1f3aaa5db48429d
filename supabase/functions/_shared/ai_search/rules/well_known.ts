/**
 * Common names of towns and quarters. The list need not be complete: it only helps to select the place among several
 * words ("帰省で松江に": 松江).
 */
const JAPANESE =
  "札幌 函館 旭川 小樽 釧路 帯広 千歳 青森 弘前 八戸 盛岡 仙台 秋田 山形 福島 郡山 会津若松 いわき 水戸 つくば 日立 宇都宮 日光 那須 小山 " +
  "前橋 高崎 草津 さいたま 大宮 浦和 川口 川越 所沢 越谷 熊谷 春日部 千葉 船橋 柏 松戸 市川 幕張 成田 舞浜 浦安 木更津 東京 新宿 渋谷 池袋 上野 浅草 " +
  "銀座 六本木 品川 秋葉原 有楽町 丸の内 日本橋 八重洲 新橋 恵比寿 目黒 中目黒 代官山 原宿 表参道 青山 赤坂 麻布 広尾 自由が丘 二子玉川 下北沢 三軒茶屋 " +
  "吉祥寺 中野 高円寺 荻窪 三鷹 立川 八王子 町田 調布 府中 多摩 蒲田 大井町 五反田 大崎 目白 巣鴨 赤羽 王子 北千住 錦糸町 両国 押上 亀戸 豊洲 有明 お台場 " +
  "台場 築地 月島 神田 御茶ノ水 水道橋 飯田橋 神楽坂 四谷 市ヶ谷 霞が関 虎ノ門 竹芝 羽田 横浜 みなとみらい 関内 桜木町 新横浜 川崎 武蔵小杉 鎌倉 江の島 " +
  "藤沢 茅ヶ崎 平塚 小田原 箱根 横須賀 海老名 厚木 新潟 長岡 富山 金沢 福井 甲府 河口湖 長野 松本 軽井沢 白馬 岐阜 高山 静岡 浜松 沼津 三島 熱海 伊豆 " +
  "名古屋 栄 金山 豊田 豊橋 岡崎 津 四日市 伊勢 鈴鹿 大津 彦根 京都 祇園 河原町 嵐山 宇治 大阪 梅田 難波 なんば 心斎橋 天王寺 新大阪 京橋 堺 東大阪 枚方 " +
  "高槻 吹田 豊中 神戸 三宮 元町 姫路 西宮 尼崎 明石 淡路 奈良 和歌山 白浜 鳥取 松江 出雲 岡山 倉敷 広島 福山 尾道 宮島 山口 下関 徳島 高松 松山 道後 高知 " +
  "福岡 博多 天神 中洲 小倉 北九州 久留米 太宰府 佐賀 長崎 佐世保 熊本 阿蘇 大分 別府 由布院 湯布院 宮崎 鹿児島 那覇 国際通り 石垣 宮古島 関空 伊丹 中部国際";

const ROMANISED =
  "tokyo shinjuku shibuya ikebukuro ueno asakusa ginza roppongi shinagawa akihabara ebisu meguro harajuku omotesando " +
  "aoyama akasaka azabu odaiba toyosu tsukiji nihonbashi marunouchi yurakucho shimbashi shinbashi kagurazaka kichijoji nakano " +
  "tachikawa hachioji machida haneda narita yokohama kawasaki kamakura hakone odawara chiba maebashi omiya saitama sapporo " +
  "hakodate otaru niseko sendai niigata kanazawa toyama nagano matsumoto karuizawa nagoya sakae kyoto gion arashiyama osaka " +
  "umeda namba dotonbori shinsaibashi tennoji kobe sannomiya himeji nara wakayama okayama kurashiki hiroshima miyajima " +
  "takamatsu matsuyama kochi fukuoka hakata tenjin kokura nagasaki kumamoto beppu yufuin kagoshima naha okinawa";

const names = new Set(JAPANESE.split(" "));
const romanised = new Set(ROMANISED.split(" "));
const longest = Math.max(...[...names].map((name) => name.length));

/** Whether a name begins with one of them, or contains one as a word. */
export function hasKnownName(name: string): boolean {
  for (let length = longest; length > 0; length--) {
    if (names.has(name.slice(0, length)) && (length > 1 || name.length === 1)) return true;
  }
  return name.toLowerCase().split(/[ -]/u).some((word) => romanised.has(word));
}
