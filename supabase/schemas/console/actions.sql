-- The acts of administrators: every action that a record of acts can have, with its labels.
--
-- They are codes of the category admin_action. Their order here is the order in which the console lists them.

-- ---------------------------------------------------------------------------------------------------------------------
-- Acts on users
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["user.suspend", "ユーザーの停止", "Suspended a user"],
  ["user.reactivate", "ユーザーの停止解除", "Reactivated a user"],
  ["user.set_premium", "プレミアムの変更", "Changed the premium of a user"],
  ["user.export", "ユーザーデータの書き出し", "Exported the data of a user"],
  ["user.withdraw", "ユーザーの退会処理", "Withdrew a user"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Reviews in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["review.approve", "レビューの承認", "Approved a review"],
  ["review.reject", "レビューの却下", "Rejected a review"],
  ["review.hide", "レビューの非公開", "Hid a review"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Error reports and field values in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["error_report.assign", "情報修正の報告の担当", "Assigned an error report"],
  ["error_report.review", "情報修正の報告の確認開始", "Took an error report into review"],
  ["error_report.resolve", "情報修正の報告の解決", "Resolved an error report"],
  ["error_report.reject", "情報修正の報告の却下", "Rejected an error report"],
  ["parking_lot.correct", "報告による駐車場情報の修正", "Corrected a lot as reported"],
  ["field_value.confirm", "駐車場の項目値の確認", "Confirmed a field value"],
  ["field_value.retire", "駐車場の項目値の取り下げ", "Retired a field value"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Tickets in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["support_ticket.answer", "問い合わせへの返信", "Answered a support ticket"],
  ["support_ticket.close", "問い合わせの終了", "Closed a support ticket"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Changes of lots
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["parking_lot.create", "駐車場の登録", "Created a parking lot"],
  ["parking_lot.update", "駐車場の変更", "Changed a parking lot"],
  ["parking_lot.close", "駐車場の閉鎖", "Closed a parking lot"],
  ["parking_lot.delete", "駐車場の削除", "Deleted a parking lot"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Import
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[["parking_lot.import", "駐車場の取り込み", "Imported parking lots"]]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Articles in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["article.create", "記事の作成", "Created an article"],
  ["article.update", "記事の変更", "Changed an article"],
  ["article.publish", "記事の公開", "Published an article"],
  ["article.withdraw", "記事の公開終了", "Withdrew an article"],
  ["article.delete", "記事の削除", "Deleted an article"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Advertisements in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["ad.create", "広告の作成", "Created an advertisement"],
  ["ad.update", "広告の変更", "Changed an advertisement"],
  ["ad.withdraw", "広告の停止", "Stopped an advertisement"],
  ["ad.restore", "広告の再開", "Resumed an advertisement"],
  ["ad.delete", "広告の削除", "Deleted an advertisement"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Sponsors in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["sponsor.create", "スポンサーの作成", "Created a sponsor"],
  ["sponsor.update", "スポンサーの変更", "Changed a sponsor"],
  ["sponsor.withdraw", "スポンサーの掲載終了", "Withdrew a sponsor"],
  ["sponsor.restore", "スポンサーの掲載再開", "Restored a sponsor"],
  ["sponsor.delete", "スポンサーの削除", "Deleted a sponsor"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Plans in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["subscription_plan.create", "プランの作成", "Created a plan"],
  ["subscription_plan.update", "プランの変更", "Changed a plan"],
  ["subscription_plan.withdraw", "プランの販売終了", "Withdrew a plan"],
  ["subscription_plan.restore", "プランの販売再開", "Restored a plan"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Codes in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["code.create", "コードの作成", "Created a code"],
  ["code.update", "コードの変更", "Changed a code"],
  ["code.withdraw", "コードの廃止", "Withdrew a code"],
  ["code.restore", "コードの再開", "Restored a code"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Tags in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["tag.create", "タグの作成", "Created a tag"],
  ["tag.update", "タグの変更", "Changed a tag"],
  ["tag.withdraw", "タグの廃止", "Withdrew a tag"],
  ["tag.restore", "タグの再開", "Restored a tag"],
  ["tag.delete", "タグの削除", "Deleted a tag"],
  ["holiday.create", "祝日の登録", "Created a holiday"],
  ["holiday.update", "祝日の変更", "Changed a holiday"],
  ["holiday.delete", "祝日の削除", "Deleted a holiday"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Badges in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["badge.create", "バッジの作成", "Created a badge"],
  ["badge.update", "バッジの変更", "Changed a badge"],
  ["badge.delete", "バッジの削除", "Deleted a badge"],
  ["badge.backfill", "バッジの進捗の再計算", "Started the rebuild of badge progress"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Levels in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["level.create", "レベルの作成", "Created a level"],
  ["level.update", "レベルの変更", "Changed a level"],
  ["level.delete", "レベルの削除", "Deleted a level"],
  ["level.recalculate", "レベルの再計算", "Started the recalculation of levels"],
  ["exp_rule.create", "経験値ルールの作成", "Created an EXP rule"],
  ["exp_rule.update", "経験値ルールの変更", "Changed an EXP rule"],
  ["exp_rule.delete", "経験値ルールの削除", "Deleted an EXP rule"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Themes in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["theme.create", "テーマの作成", "Created a theme"],
  ["theme.update", "テーマの変更", "Changed a theme"],
  ["theme.delete", "テーマの削除", "Deleted a theme"],
  ["theme.gift", "テーマの贈呈", "Gave a theme to a user"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Administrators
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["admin.update", "管理者の変更", "Changed an administrator"],
  ["admin.suspend", "管理者の停止", "Suspended an administrator"],
  ["admin.reactivate", "管理者の再開", "Reactivated an administrator"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Invitations
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[["admin.invite", "管理者の招待", "Invited an administrator"]]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Jobs
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["dead_message.requeue", "未処理メッセージの再投入", "Put a dead message back into its queue"],
  ["dead_message.discard", "未処理メッセージの破棄", "Discarded a dead message"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Composed notifications
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["user_notification.create", "お知らせの作成", "Created a notification"],
  ["user_notification.update", "お知らせの変更", "Changed a notification"],
  ["user_notification.delete", "お知らせの削除", "Deleted a notification"],
  ["user_notification.send", "お知らせの送信", "Sent a notification"],
  ["user_notification.cancel", "お知らせの取消", "Cancelled a notification"],
  ["user_notification.test", "お知らせの試験送信", "Sent a notification to their own devices"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Subscriptions in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[
  ["subscription.revoke", "サブスクリプションの取り消し", "Revoked a subscription"],
  ["subscription.reinstate", "サブスクリプションの取り消しの解除", "Reinstated a subscription"],
  ["subscription.refresh", "サブスクリプションの再照会", "Asked the store about a subscription"]
]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Runs in the console
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[["store_sync.trigger", "ストア連携の実行", "Started a sync with the stores"]]');

-- ---------------------------------------------------------------------------------------------------------------------
-- Second factors
-- ---------------------------------------------------------------------------------------------------------------------

select private.add_admin_actions('[["admin.reset_second_factor", "管理者の二要素認証のリセット", "Reset the second factor of an administrator"]]');
