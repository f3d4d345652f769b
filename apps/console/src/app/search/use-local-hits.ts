import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { can } from '#core/auth/session.tsx'
import { createStore, useStore } from '#core/events/store.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { pressAddOn } from '#app/keys/page-controls.ts'
import { showShortcuts } from '#app/keys/shortcuts.tsx'
import { logOut } from '#app/leave.ts'
import { findTrail, type MenuEntry } from '#app/menu-tree.ts'
import { matchRoute } from '#app/screen-match.ts'
import { useTheme } from '#kit/antd/use-theme.ts'
import { listCreateActions, type PaletteAction } from './action-hits.ts'
import { findMenuHits, type MatchPinyin, matchesWord, wordsOf } from './menu-hits.ts'
import type { HitGroup } from './palette-groups.ts'
import { type KnownPage, readRecentPages, useFavourites } from './recent-pages.ts'

/** Returns the icon of a page: the icon of its menu, or of the menu of its list. */
function findIcon(entries: readonly MenuEntry[], url: string) {
  const match = matchRoute(url)
  if (!match || url.startsWith('/account/')) return 'user'
  return findTrail(entries, match.screen.under ?? match.key)?.entry.icon ?? ''
}

const NO_PINYIN: MatchPinyin = () => false
const pinyin = createStore<MatchPinyin>(NO_PINYIN)

/** Returns the pinyin comparison. Its dictionary loads when the search opens; until then nothing matches by pinyin. */
function usePinyin() {
  useEffect(() => {
    if (pinyin.get() !== NO_PINYIN) return
    loadChunk(() => import('pinyin-pro')).then(
      ({ match }) => pinyin.set((text, word) => match(text, word, { continuous: true }) !== null),
      () => {},
    )
  }, [])
  return useStore(pinyin)
}

/** Returns the menus that match the text. */
export function useMenuHits(entries: readonly MenuEntry[], text: string): HitGroup {
  return { title: '菜单', hits: findMenuHits(entries, text, usePinyin()) }
}

/** Returns the actions that match the text and that the account may use. */
export function useActionHits(entries: readonly MenuEntry[], text: string): HitGroup {
  const navigate = useNavigate()
  const theme = useTheme()
  const matchPinyin = usePinyin()
  const words = wordsOf(text)
  const actions: readonly PaletteAction[] = [
    ...listCreateActions(),
    { title: theme.isDark ? '切换为浅色主题' : '切换为深色主题', words: '外观', run: theme.toggle },
    { title: '外观设置', words: '主题 密度', to: '/account/looks' },
    { title: '编辑资料', words: '账号设置', to: '/account/profile' },
    { title: '修改密码', words: '账号设置', to: '/account/password' },
    { title: '两步验证', words: '账号设置', to: '/account/mfa' },
    { title: '我的会话', words: '账号设置', to: '/account/sessions' },
    { title: '键盘快捷键', words: '帮助', run: showShortcuts },
    { title: '退出登录', run: () => logOut() },
  ]
  const hits = actions
    .filter(({ title, words: more = '' }) => words.every((word) => matchesWord(title, more, word, matchPinyin)))
    .map(({ title, to = '', adds, run }) => ({
      key: `action:${title}`,
      title,
      detail: '',
      to,
      icon: run ? 'control' : findIcon(entries, to),
      ...(run && { run }),
      ...(adds && {
        run: () => {
          void navigate(to)
          pressAddOn(to)
        },
      }),
    }))
  return { title: '操作', hits: words.length > 0 ? hits : [] }
}

/** Returns the favourite pages and the pages that were opened last, without the shown page. */
export function useKnownPageHits(entries: readonly MenuEntry[]): readonly HitGroup[] {
  const favourites = useFavourites().list
  const group = (title: string, pages: readonly KnownPage[]): HitGroup => ({
    title,
    hits: pages.flatMap(({ key, url, title: name }) => {
      const match = matchRoute(url)
      if (!match || !can(match.screen.access)) return []
      const detail = match.screen.title === name ? '' : match.screen.title
      return [{ key: `page:${key}`, title: name, detail, to: url, icon: findIcon(entries, url) }]
    }),
  })
  const here = matchRoute(location.pathname + location.search)?.key
  return [
    group('收藏', favourites),
    group(
      '最近访问',
      readRecentPages().filter(({ key }) => key !== here),
    ),
  ]
}
