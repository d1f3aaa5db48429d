/** Words without meaning for the search: politeness, words for parking, and the reason for the trip. */

const JAPANESE = [
  // requests
  "(?:え|あ)[ーっえ]{1,3}(?:と|の)?|なんか(?:こう)?|(?<=[、。 ])こう(?=、)|まあ|まぁ|チェック(?:イン|アウト)|\\d{1,4} ?[台人名](?:で|分|の|を|乗り|乗りの|が?いる(?:ので|から|ため))?(?=[、。 \\uE000停止駐と置車行]|$|(?<=ので|から|ため))|[24]wd(?:の)?|当日の?(?= ?\\uE000)|ポッキリ|限定(?:で)?|帰省(?:で|の)?|帰国(?:で|の)?|日帰り(?:温泉|旅行)?(?:で|の)?|里帰り(?:で)?|に合わせて|(?:を|が)?(?:返す|返却する)(?=まで)|(?:赤ちゃん|ベビー)連れ(?:なので|で|の)?|パーク ?(?:アンド|&) ?ライド|終わる(?:の|時間|時刻)?は|子連れ(?:で|の)?|家族連れ(?:で)?|(?:新幹線|電車|フェリー|飛行機|バス|高速バス)(?:に乗(?:る|り)|を(?:利用|使)|の時間)(?:ので|から|ため)?|その(?:まま|後)(?:で)?|別に|らへん|[一-龠ぁ-ん]{0,4}(?:祭り?|まつり)(?=[、。 \\uE000]|$)|拝啓|敬具|前略|草々|(?:突然の)?ご連絡(?:を)?失礼(?:いた)?(?:し)?(?:ます|ました)?|恐れ入りますが|恐縮ですが|(?:と|を)?存じ(?:ます|上げます)|すみません|すいません|あのう?(?=、|すみ)|えっ?と|こんにちは|こんばんは|おはよう(?:ございます)?|初めまして|お世話になり(?:ます|ました)|よろしく(?:お?願い(?:いた)?(?:し)?ます)?|宜しく(?:お?願い(?:いた)?(?:し)?ます)?|お?願い(?:いた|致)?し(?:ます|たい(?:です)?)|お?願い(?:です)?|ありがとう(?:ございます)?|ありがたいです?",
  "(?:を|が|は)?(?:探|さが|捜)(?:して(?:い|お)?(?:る|ます|ください|下さい|ほしい|欲しい|くれ)?(?:んです(?:けど|が)?|ところです)?|したい(?:です)?|せ(?:ます|る)?|す|し中)",
  "(?:を|は)?(?:教え|おしえ|紹介し|案内し|検索し|調べ|見つけ|表示し|出し)て(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|くれ(?:る|ます|ません)?か?|もらえ(?:る|ます|ません)?か?|いただけ(?:る|ます|ません)?か?|(?:ね|よ)?(?=[、。!?\\uE000]|$))?|検索|調べたい",
  "(?:って|は|が|も)?(?:あり|空いてい?|空き|ござい)ます(?:でしょう)?か?|(?:って|は|が|も)?(?:ある|ない|いる)(?:かな?|の|でしょうか|と(?:うれ|嬉)しい|といい|ところ|(?=[?、。!\\uE000]|$))|ありません?か|でしょうか|できますか|可能ですか|空いて(?:い?る|ます)?(?:ところ|とこ)?|空き(?:が|の)?(?:ある)?|空車(?:の|あり)?|満車(?:で|じゃ)?(?:ない)?",
  // parking
  "(?:時間貸し?|コイン|有料|民間|公営|市営|駐車)?(?:の)?(?:駐車場|パーキング|コインパ|駐車スペース|車庫(?!証明)|モータープール)(?:で(?=安|屋|す|、))?|(?:コイン)?パーキング|パーク(?=したい)",
  "(?:車|クルマ|くるま|マイカー|自家用車|愛車|レンタカー)(?:で(?:行|向|伺|来)?(?:き|く|か|い)?(?:ます|たい|って|う|の)?(?:で|が)?|を|が|は|も|の|、|なんですけど|なので|です)?(?=停|止|駐|と[めま]|置|預|入|行|[、。 \\uE000\\uE001]|$|\\p{Script=Han}|\\p{Script=Katakana})",
  "(?:を|に|(?<!ま)で|は)?(?:停|止|駐|と|置|預け|駐車)(?:め|まれ|車)?(?:られ|れ|かせ|け|たく|たい|とき|ておき|て|る|し|でき|可能)(?:たい|る|て|そう|られ|ます|まし|い|な|ておき|おき)?(?:たい|る|です|ん|なん|の)?(?:ところ|とこ|場所)?(?:です|が|けど|ので|から|かな|な|と思)?(?:って|い)?(?:い?ます)?",
  "(?:停|止|駐)め(?:たい(?:です|んです(?:が|けど)?|の(?:です|で)|と思(?:って|い)(?:い?ます)?)?|られる(?:ところ|とこ|場所|駐車場)?|ます|る(?:ところ|とこ|場所)?|て)?|駐車(?:し(?:たい(?:です|んです(?:が|けど)?)?|ます|て)|可能?な?|できる|予定|希望|を?希望)?",
  "(?:停め|止め|駐め|とめ|置き)(?:っぱなし|たまま)(?:に|で|の)?(?:して(?:おき)?たい|したい|する)?(?:です|んですが|んですけど)?|(?:利用|使用)(?:し)?(?:たい(?:です)?|予定(?:です)?|できる|可能な?|します|する)?|使(?:いたい|える|えれば|う)(?:です|ところ|とこ)?|入れられる|入れ(?:たい|る)|入る(?:ところ|とこ)?|行(?:きたい|きます|く(?:ので|から|んです(?:が|けど)?|予定(?:です|なので)?|とき|時|の)?|って|こう(?:と思)?)|向か(?:い(?:ます)?|う|って)|出かけ(?:ます|る|たい)|遊び(?:に)?(?:行(?:く|き|って)(?:ます|たい)?)?|寄(?:りたい|る|って)",
  "(?:を|に|(?<!ま)で|は)?置(?:き(?:たい|ます)|い(?:と(?:き(?:たい|ます)|く|ける)|てお(?:き(?:たい|ます)|く|ける)|て)|ける|く)(?:の|ん)?(?:です)?(?:ところ|とこ|場所|ので|から|が|けど)?(?=[、。!? \\uE000]|$|\\p{Script=Han}|\\p{Script=Katakana})",
  // degrees and wishes
  "(?:大?至急|急ぎ|いそぎ)(?:で|です|なので)?|\\d{2,4} ?cc(?:の)?|(?:トヨタ|ホンダ|日産|マツダ|スバル|スズキ|ダイハツ|三菱|レクサス|ベンツ|bmw|アウディ|ポルシェ|フォルクスワーゲン)の?(?:[a-z0-9]{1,6}(?:クラス)?)?(?=[\\uE000 でがの]|車|$)|(?<=[うくぐすつぬぶむる\\uE001])んで(?![すい])|急遽|(?:会場|時間|日時|場所|車種?|車両|予算|条件|備考|希望)(?= ?:)|(?<![ぁ-んァ-ヶ一-龠])ど(?:こか|っか)(?:の|で|に|、)?|どこでも(?:いい|良い|ok|構わない)?(?:です)?(?:から|ので|が|けど)?|徒歩圏内?(?:で|の)?|〒? ?\\d{3}-\\d{4}(?=[ \\p{Script=Han}])|できれば|できたら|出来れば|可能(?:で|な)(?:あれば|ら|限り)|なるべく|できるだけ|出来るだけ|なんとか|とりあえず|やっぱり?|やはり|ちょっと(?:だけ)?|少し(?:だけ)?|だいたい|たぶん|多分|おそらく|絶対(?:に)?|(?:全部|合計|総額|トータル|込み?込み?|税込み?)(?:で|は)?(?=[、。 \\uE000]|$)|必ず|特に|あと(?=は|、|屋|\\uE000)|それと|それから|そして|しかも|また(?=、)|ついでに|さらに|かつ|ただし|けれど|ですが|だけど|なんですけど(?:も)?|なんですが|んですけど(?:も)?|んですが|んだけど|のですが|ですけど|だから|なので|ますので|ですので|なんで(?=、|安)",
  "(?:が|を|は|も|(?<!ま)で|に)?(?:希望(?:です|します|で|の)?|いい(?:です|な|なあ|かな|けど|んだけど|んですけど)?(?!づか|だ)|良い(?:です|な|けど)?|よい(?:です)?|欲しい(?:です|な)?|ほしい(?:です|な)?|必要(?:です|な)?|必須(?:です|で)?|お任せ|変更(?:して)?(?:ください|下さい|で)?|(?:に|で)?(?:並べ(?:替え)?|並び替え|広げ|絞っ|絞り込ん|残し)[てで](?:ください|下さい|ほしい|欲しい)?|して(?:ください|下さい|ほしい|欲しい)|してね?(?=[、。\\uE000]|$)|にして(?:ください|下さい)?|付けて|つけて|追加(?:して)?(?:で|ください)?|加えて|大丈夫(?:です|な)?|(?<![a-z])ok(?![a-z])(?:な|です|の)?|可能?(?:です|な|の)|嬉しい(?:です)?|うれしい(?:です)?|助かり(?:ます)?|ありがた(?:い|く)|条件(?:は|に|で|として)?|重視(?:で|します)?|優先(?:で|して)?)",
  "(?:な|の|い|る|た|(?<=\\uE000))所(?=[、。 でにをがは]|$)|いられる|(?:オープン|クローズ|ラスト)(?=から|まで|[、。 ]|$)|(?:な|の|い|る)?(?:ところ|とこ(?=[がでにをは、。 \\uE000]|$)|(?<![ァ-ヶー])トコ(?![ァ-ヶー])|場所(?:は|が|を|で|に)?(?=[、。:]|$|探|\\p{Script=Han}|\\uE000|で|に|が|を|は)|スポット(?=を|は|が|$)|物件)(?:で|が|を|に|は)?(?:(?:お)?願い(?:します)?)?|目的地は?|行き先は?|行先は?|エリアは|駅は(?=\\p{Script=Han})|日時は|時間は|予算は?|料金(?:は|が|も)?|値段(?:は|が)?|金額(?:は|が)?|最寄り(?:は)?|条件は?",
  "です(?:か|が|ね|よ|けど|ので)?|ます(?:か|が|ね|よ|ので|けど)?(?=[、。!? \\uE000]|$)|ました|でした|だ(?:よ|ね|な|けど)?(?=[、。!? \\uE000]|$)|かな(?=[、。!? \\uE000]|$)|よね(?=[、。!? \\uE000]|$)|くらい|ぐらい|ほど(?=[、。 \\uE000]|$)|程度|ごろ|頃(?=[、。 にかま\\uE000]|$)|前後|にかけて|の(?:間|あいだ)|(?<=\\uE000)(?:間|入|出)(?=[、。 \\uE000]|$)|ずっと|いっぱい|以内(?:で|に)?|以降|まで(?:に|の|で)?(?=[、。 \\uE000]|$)",
  "(?<=^|[ 、。])(?:お[いー]|ね[えぇ]|な[あぁ]|よう|あのさ)(?:[、。 ]|(?=[\\p{Script=Han}\\p{Script=Katakana}]))|(?:を|は)?(?:教えろ|探せ|出せ)(?:よ|や)?(?=[、。! ]|$)",
  // reasons
  "(?<=^|[ 、。の\\uE000])[\\p{Script=Han}\\p{Script=Katakana}ーA-Z]{1,8}(?<!合)戦(?:が(?:ある|あり)?|を(?:見|観)(?:る|に|て)|で|の)?(?:ので|から)?(?=[ 、。\\uE000]|$)",
  "(?:終電|終バス|最終電車)(?:を?(?:逃し|逃がし)(?:た|て(?:しまっ(?:た|て))?|ちゃっ(?:た|て))|が?(?:なく(?:なった|なって(?:しまった)?|て)|な(?:い|かった)|無い))(?:の|ん)?(?:で(?:す)?|から|けど)?(?:(?:が|けど)(?=、))?",
  "(?:の)?(?:会議|打ち?合わせ|打合せ|商談|出張|通勤|通学|夜勤|日勤|早番|遅番|残業|仕事|用事|買い?物|ショッピング|食事|[朝昼夕晩]ご?飯|[朝昼夕]食|ご飯|忘年会|新年会|二次会|歓迎会|送別会|ランチ|ディナー|飲み会?|飲む|映画(?:を?(?:見|観)(?:る|に|て|たい))?|ライブ|コンサート|観劇|試合|野球|サッカー|ラグビー|バスケ(?:ット)?|大相撲|フェス|コミケ|観戦|観光|旅行|デート|お?花見|花火(?:大会)?|初詣|お?参り|診察|通院|お?見舞い|面会|送迎|送り迎え|お?迎え|見送り|結婚式|披露宴|法事|お?通夜|お?葬[儀式]|告別式|成人式|入学式|卒業式|授業参観|保護者会|付き添い|運動会|発表会|学会|セミナー|講演会|面接|試験|受験|引っ?越し|釣り|登山|ゴルフ|スキー|海水浴|キャンプ|散歩|美容院|習い事|イベント|展示会|待ち合わせ|集合|解散|搬入|搬出|開演|終演|開場|閉場|開園|閉園|開店|閉店|開館|閉館|開会|閉会|キックオフ|プレイボール|開始|終了|スタート|入庫|出庫|入場|退場|到着|出発|ナイター)(?![場館所ハホセ])(?:終わり)?(?:が(?:ある|あり(?:ます)?|入って)?|に|を|で|の|は|も|して|する|します|予定)?(?:の)?(?:ため(?:に)?|ので|んですが|んです|んだ|から(?=[、。])|けど|帰り|ついで|前に|後に|とき|時|間|予定(?:です)?)?",
  "(?:友達|友人|彼女|彼氏|家族|子ども|子供|こども|妻|夫|嫁|旦那|両親|親|母|父|祖母|祖父|会社の人|同僚|上司|お客(?:さん|様)|みんな|一緒|赤ちゃん(?!本舗))(?:たち)?(?:と|が|の|は|を|も|に)?(?:一緒に)?(?=[、。 \\uE000\\uE001]|$|\\p{Script=Han}|\\p{Script=Katakana}|[ぁ-ん]|\\d人)(?!の国|の森|の丘)",
  "(?:に|へ|を|は|(?<!ま)で|が)?(?:見(?:る|に行く|に|たい)|観(?:る|に)|食べ(?:る|たい|に)|買(?:う|い(?:たい|に)?)|会う|乗(?:る|り(?:たい)?)|泊ま(?:る|り(?:ます)?)|過ごす|出(?:る|ます|たい|かけ)|入(?:って|りたい|ります)|着(?:く|き(?:ます)?|いて)|(?<=に)いて|帰(?:る|り(?:ます)?|って)|戻(?:る|り(?:ます)?)|来(?:る|ます|て)|思(?:います|って(?:い?ます)?|う)|困って(?:い?ます)?|迷って(?:い?ます)?)(?:ので|から|んです(?:が|けど)?|けど|予定(?:です|で)?|の|ため|とき|時)?",
  "(?<=[うくぐすつぬぶむるいただな])ので|のに(?=、)|けど|から(?=[、。!? ])|ため(?:に)?(?=[、。 ]|$|\\p{Script=Han})|として|(?<=[ぁ-ん])の(?=、)",
];

const ENGLISH = [
  "park[- ](?:and|&)[- ]ride|in total|all in(?: all)?|altogether|overall|total|on foot|by foot|coin|check[ -]?(?:in|out)|requirement|condition|w\\/|quick(?: stop)?|stop|(?:long|short)[ -]term|overnight|free|hi|hello|hey|hiya|good (?:morning|afternoon|evening)|greetings|please|pls|plz|thanks?(?: you)?|thx|cheers|sorry|excuse me|ok(?:ay)?|yes|yeah|well|so|um|uh|actually|instead|rather|maybe|perhaps|probably|just|only|also|too|as well|ideally|preferably|if possible|possibly|definitely|really|very|quite|a bit|a little|kind of|sort of|about|approximately|roughly|exactly|sharp|change (?:it )?to|make it|make that|what about|how about|switch to",
  "i'?d|i'?ll|i'?m|i'?ve|i|we'?re|we'?ll|we'?d|we|you|me|us|he|she|they|it'?s|it|there'?s|there is|there are|there|that'?s|where'?s|gimme|that|this|these|those|which|what'?s|whats|what|where|who|how|why|when|let'?s",
  "can|could|would|should|shall|will|may|might|must|do|does|did|don'?t|is|are|am|was|be|been|being|have|has|had|having|got|gotta|get(?:ting)?|give|show|tell|find(?:ing)?|search(?:ing)?(?: for)?|look(?:ing)?(?: for)?|need(?:s|ed|ing)?|want(?:s|ed|ing)?|wanna|like|love|prefer(?:red|s)?|require(?:s|d)?|recommend|suggest|help|know|think(?:ing)?|hope|hoping|plan(?:ning|s)?|going|gonna|go|come|coming|visit(?:ing)?|drive|driving|bring(?:ing)?|arriv(?:e|es|ing|al)|leav(?:e|es|ing)|depart(?:ing|ure)?|stay(?:ing)?|start(?:s|ing)?|begin(?:s|ning)?|end(?:s|ing)?|finish(?:es|ing)?|out|back|drop(?:ping)?(?: off)?|pick(?:ing)?(?: up)?|put|keep|store|fit(?:s|ting)?|allow(?:s|ed)?|accept(?:s|ed)?|use|add|include|including|must-have|sort(?:ed)?(?: it| them)?|order(?:ed)?(?= by)|narrow(?: it)?(?: down)?|widen(?: it)?(?= to)|expand(?: it)?(?= to)|same(?: (?:thing|search|again))?|possible|available|availability|free(?= for| from)",
  "(?:car|vehicle) ?parks?|(?:a )?parking(?:[ -](?:lots?|spaces?|spots?|garages?|places?|areas?|structure|facility|options?|bays?))?|park(?:ed)? (?:my|our|a|the) (?:car|van|vehicle|truck|bike)|(?:^|(?<=(?:to|can|i|we|could|should|and|place|somewhere|you|spot) ))park(?! station)|garages?|carparks?|(?<![A-Z][a-z]{1,20} )lots?|spots?|spaces?|bays?|rental(?: cars?)?|my (?:car|vehicle|truck)|our (?:car|vehicle)|the car|a car|cars?|vehicles?",
  "somewhere|anywhere|someplace|something|anything|everything|some|any|ones?|places?(?= to| that| with| for| in| near| where| around)|options?|good|nice|great|best|safe|secure|suitable|right|big|large|small|long|short|max(?:imum)?|min(?:imum)?|budget|price[sd]?|cost(?:s|ing)?|rates?|fees?|height|width|length|size|hours?|time|date|day|trip|visit|meeting|appointment|conference|concert|show|game|match|dinner|lunch|breakfast|movie|film|shopping(?! (?:street|mall|cent|district|arcade|plaza))|wedding|party|event|work|date night|flight|business|exam|interview|kids?|wife|husband|family|friends?|mom|mum|dad|someone|errands?|fine|latest|earliest|open(?= ?(?:\\uE000|[.,!?]|$))|accessible|walk(?:ing)?(?: distance)?|distance|away|reachable|ish",
  "(?:just )?miss(?:ed|ing)? the last train|the (?=\\uE000)|an?|my|our|your|his|her|their|and|but|because|since|as|if|then|than|while|so that|or so|not too|too far|far|more|less|most|least|each|per|both|either|also with",
];

const EDGED = `(?<![\\p{L}\\d'-])(?:${ENGLISH.join("|")})(?![\\p{L}\\d'-])`;

/** A capitalised word inside a sentence is part of a name: Pike Place, Tokyo Big Sight. */
export function isInName(text: string, start: number): boolean {
  const word = text.slice(start, start + 20);
  if (!/^\p{Lu}/u.test(word) || /^I(?![\p{L}])|^I'/u.test(word)) return false;
  return start > 0 && !/(?:^|[.!?:] ?|[\u3000-\u9fff] ?)$/u.test(text.slice(Math.max(0, start - 3), start)) &&
    /\p{Ll}/u.test(text);
}

/** トコ in コストコ is part of a name too. */
export function isInKatakana(text: string, start: number, end: number): boolean {
  const isKatakana = (at: number) => /[ァ-ヶー]/u.test(text[at] ?? "");
  return (isKatakana(start) && isKatakana(start - 1)) || (isKatakana(end - 1) && isKatakana(end));
}

export const FILLERS: readonly RegExp[] = [
  ...JAPANESE.map((source) => new RegExp(source, "giu")),
  new RegExp(EDGED, "giu"),
];
