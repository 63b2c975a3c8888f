import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { keysQuery } from '../../data/queries.ts'

/** A change of a key. The list is fetched again also after a refusal: another window may have changed it. */
export function useKeyChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  onDone: (result: Result) => void,
): UseMutationResult<Result, Error, Input> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    // The answer may have a secret.
    gcTime: 0,
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
}
