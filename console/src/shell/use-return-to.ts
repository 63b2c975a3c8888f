import { useLocation } from '@tanstack/react-router'

/** The service keeps the address in a cookie and refuses longer ones. */
const MAX_LENGTH = 400

/** The present page, to return to it after a sign-in. */
export function useReturnTo(): string {
  const { pathname, searchStr } = useLocation()
  const path = `/app${pathname === '/' ? '' : pathname}`
  const address = `${path}${searchStr}`
  return address.length <= MAX_LENGTH ? address : path
}
